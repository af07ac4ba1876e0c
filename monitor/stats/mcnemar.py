"""The exact McNemar test: whether more cases flipped one way than the other."""


def exact_mcnemar(flipped_to_fail: int, flipped_to_pass: int) -> float:
    """Return the two-sided exact p-value of the hypothesis that a discordant pair is as likely to flip either way.

    Formula:   with m = b + c discordant pairs, p = min(1, 2 P(X <= min(b, c))), X ~ Binomial(m, 1/2).
    Range:     (0, 1]; symmetric in its arguments, so it has no direction.
    Shapes:    two counts; the concordant pairs have no information and are not needed.
    Empty:     b = c = 0 gives 1.0: nothing flipped, nothing speaks against equality.
    Smallest:  below m = 6 no result is under 0.05 (5 of 5 gives 0.0625).
    Source:    McNemar, Psychometrika 12 (1947) 153-157; exact form: Fagerland, Lydersen and Laake,
               BMC Med Res Methodol 13 (2013) 91, section "The McNemar exact conditional test".
    Differs:   no mid-p correction: the test is conservative, its true level stays at or below the nominal one.

    >>> round(exact_mcnemar(7, 1), 4)
    0.0703
    >>> exact_mcnemar(0, 0)
    1.0
    """
    from scipy.special import bdtr  # half a second, which a start must not wait for

    if flipped_to_fail < 0 or flipped_to_pass < 0:
        raise ValueError(
            f"counts of flipped cases cannot be negative: {flipped_to_fail} to fail, {flipped_to_pass} to pass"
        )
    discordant = flipped_to_fail + flipped_to_pass
    if discordant == 0:
        return 1.0
    return min(1.0, 2.0 * float(bdtr(min(flipped_to_fail, flipped_to_pass), discordant, 0.5)))
