"""Solves, simulations and evaluations on the workers of a Dask cluster, on this machine or on many.

session      a cluster as programs use it, from its start or connection to its end; solves of tables in shards
engine       give tasks to the workers, and their results back in the order of completion
worker       what runs on a worker: its checks, and one task
simulating   games in ranges
evaluating   policies, and the games of a program

Tasks are text and numbers; tables and shards go through a folder that all workers see. A result has the same bits as
that of this process alone. Dask is imported only here (extra ``cluster``).
"""
