"""How far off, in standard errors, a drop is measured on the night when its own evidence raises the alarm.

A row for each of LEVELS, the logarithm of the evidence that is needed; a column for each of DROPS, the true drop in
standard deviations of one night. Between LOW and HIGH is (measured - true) / error in 95 % of the alarms, whether the
true drop is the mean of the reported windows or the whole drop, which a wrong onset dilutes: at most TAIL of the
former is above HIGH, or more where LOW, which is never above 0, leaves less out. Of the two mixtures of templates the
wider value is taken. Measured by `python -m bench.drift_study.selection`; a test repeats some values, and fails when
other templates make others.
"""

TAIL = 0.025
LEVELS = (5.0, 8.0, 11.0, 14.0)
DROPS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
LOW = (
    (0.0, 0.0, 0.0, -1.03, -2.41, -2.53, -2.33, -2.22),
    (0.0, 0.0, 0.0, -1.22, -3.01, -2.25, -2.34, -2.26),
    (0.0, 0.0, 0.0, -1.14, -2.83, -2.13, -2.28, -2.27),
    (0.0, 0.0, 0.0, -1.02, -2.63, -1.97, -2.23, -2.26),
)
HIGH = (
    (4.0, 3.7, 3.4, 3.05, 2.59, 2.32, 2.06, 2.03),
    (4.71, 4.31, 3.74, 3.09, 2.64, 2.27, 2.09, 2.06),
    (5.32, 4.79, 3.82, 3.08, 2.56, 2.28, 2.09, 2.07),
    (5.75, 5.22, 4.16, 3.12, 2.53, 2.27, 2.07, 2.07),
)
