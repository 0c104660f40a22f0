"""What answers say about workers: each reliability on a grid of nodes, exactly, and what a crowd is like."""

import math

import numpy as np
from numba import njit

from nextpair.core.arrays import FloatArray, IntArray

EDGE = 1e-12  # chances keep this far from 0 and 1


@njit(cache=True)
def learn_worker(belief: FloatArray, nodes: FloatArray, chance: float) -> float:  # pragma: no cover
    """Multiply the weights of a worker's nodes by the likelihood of the answer; the largest becomes 1.

    Gives the logarithm of what all were divided by.
    """
    largest = 0.0
    for g in range(nodes.size):
        belief[g] *= nodes[g] * chance + (1.0 - nodes[g]) * (1.0 - chance)
        largest = max(largest, belief[g])
    for g in range(nodes.size):
        belief[g] /= largest
    return math.log(largest)


@njit(cache=True)
def mean_without(belief: FloatArray, nodes: FloatArray, chance: float) -> float:  # pragma: no cover
    """The mean reliability of a worker when one answer is taken out again; chance = 1/2 takes nothing out."""
    total = weighted = 0.0
    for g in range(nodes.size):
        rest = belief[g] / (nodes[g] * chance + (1.0 - nodes[g]) * (1.0 - chance))
        total += rest
        weighted += rest * nodes[g]
    return weighted / total


@njit(cache=True)
def learn_crowds(workers: FloatArray, crowd: IntArray, crowds: FloatArray) -> None:  # pragma: no cover
    """From the likelihood of each worker's nodes to their weights, given what all others of the crowd are like.

    Row h of crowds[c] is what is expected of a worker under hypothesis h, times how likely h is. How well h explains
    the answers of worker w is evidence[w, h] = sum over nodes of row h and likelihood; that of all *other* workers of
    the crowd, multiplied, makes the rows into one prior for w.
    """
    n, bins, kinds = workers.shape[0], workers.shape[1], crowds.shape[1]
    evidence, of_all = np.zeros((n, kinds)), np.zeros((crowds.shape[0], kinds))
    likely = np.zeros((crowds.shape[0], kinds))
    for c in range(crowds.shape[0]):
        for h in range(kinds):
            for g in range(bins):
                likely[c, h] += crowds[c, h, g]
    for w in range(n):
        for h in range(kinds):
            total = 0.0
            for g in range(bins):
                total += crowds[crowd[w], h, g] * workers[w, g]
            if likely[crowd[w], h] > 0.0:  # a crowd that is known has one hypothesis
                evidence[w, h] = math.log(max(total / likely[crowd[w], h], 1e-300))
            of_all[crowd[w], h] += evidence[w, h]
    prior = np.empty(bins)
    for w in range(n):
        c = crowd[w]
        top = -np.inf
        for h in range(kinds):
            if likely[c, h] > 0.0:
                top = max(top, of_all[c, h] - evidence[w, h])
        prior[:] = 0.0
        for h in range(kinds):
            if likely[c, h] > 0.0:
                share = math.exp(of_all[c, h] - evidence[w, h] - top)
                for g in range(bins):
                    prior[g] += share * crowds[c, h, g]
        largest = 0.0
        for g in range(bins):
            workers[w, g] *= prior[g]
            largest = max(largest, workers[w, g])
        for g in range(bins):
            workers[w, g] /= largest


@njit(cache=True)
def judge(
    told: IntArray, chances: FloatArray, nodes: FloatArray, crowd: IntArray, crowds: FloatArray, n: int
) -> FloatArray:  # pragma: no cover
    """The weights of every worker's nodes from the chances of the first n answers, and from what crowds are like."""
    workers = np.empty(nodes.shape)
    for w in range(nodes.shape[0]):
        for g in range(nodes.shape[1]):
            workers[w, g] = 1.0 if crowds[crowd[w], :, g].max() > 0.0 else 0.0  # what nobody is, this worker is not
    for t in range(n):
        if told[2, t] >= 0:
            learn_worker(workers[told[2, t]], nodes[told[2, t]], chances[t])
    learn_crowds(workers, crowd, crowds)
    return workers
