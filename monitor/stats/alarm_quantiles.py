"""How far off, in standard errors, a drop is measured on the night when its own evidence raises the alarm.

A row for each of LEVELS, the logarithm of the evidence that is needed; a column for each of DROPS, the true drop in
standard deviations of one night. Between LOW and HIGH is (measured - true) / error in 95 % of the alarms, whether the
true drop is the mean of the windows told or the whole drop, which a wrong onset dilutes: at most TAIL of the former is
above HIGH, or more where LOW, which is never above 0, leaves less out. Of the two mixtures of templates the wider value
is taken. Measured by `python -m bench.drift_study.selection`; a test repeats some values, and fails when other
templates make others.
"""

TAIL = 0.025
LEVELS = (5.0, 8.0, 11.0, 14.0)
DROPS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
LOW = (
    (0.0, 0.0, 0.0, -1.05, -2.43, -2.61, -2.41, -2.21),
    (0.0, 0.0, 0.0, -1.28, -2.98, -2.27, -2.38, -2.28),
    (0.0, 0.0, 0.0, -1.14, -2.77, -2.17, -2.3, -2.29),
    (0.0, 0.0, 0.0, -0.88, -2.61, -2.03, -2.37, -2.3),
)
HIGH = (
    (4.02, 3.72, 3.39, 3.03, 2.6, 2.33, 2.06, 2.03),
    (4.73, 4.32, 3.75, 3.12, 2.64, 2.27, 2.1, 2.06),
    (5.32, 4.76, 3.92, 3.07, 2.57, 2.3, 2.09, 2.07),
    (5.75, 5.24, 4.28, 3.02, 2.53, 2.33, 2.09, 2.07),
)
