"""tablebase"""
