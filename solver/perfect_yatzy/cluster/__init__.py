"""Solves, simulations and evaluations on the workers of a Dask cluster, on this machine or on many.

Tasks are text and numbers; tables and shards go through a folder that all workers see. A result has
the same bits as that of this process alone. Dask is imported only here (extra ``cluster``).
"""
