"""Check digits of cards, accounts and ids. Most other numbers of the same length fail them.

Each function takes the characters without spaces and returns whether the check digit is right.
"""

from typing import Final

_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_TEN: Final = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)  # for 0 to 9, and for A to J
_ODD: Final = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (*_TEN, *_TEN, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)


def luhn(digits: str) -> bool:
    """Check a payment card number by ISO/IEC 7812-1.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for place, character in enumerate(reversed(digits)):
        doubled = int(character) * (1 + place % 2)
        total += doubled - 9 * (doubled > 9)
    return total % 10 == 0


def mod_97(account: str) -> bool:
    """Check an IBAN by ISO 7064 MOD 97-10, which ISO 13616 uses.

    >>> mod_97("GB82WEST12345698765432"), mod_97("GB82WEST12345698765431")
    (True, False)
    """
    return int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1


def steuer_id(digits: str) -> bool:
    """Check a German tax id of 11 digits: ISO 7064 MOD 11,10, and exactly one of the first ten digits occurs two or
    three times.

    >>> steuer_id("86095742719"), steuer_id("86095742718"), steuer_id("12345678901")
    (True, False, False)
    """
    counts = sorted(digits[:10].count(d) for d in set(digits[:10]))
    if digits[0] == "0" or counts[-1] not in (2, 3) or counts[:-1] != [1] * (len(counts) - 1):
        return False
    product = 10
    for character in digits[:10]:
        product = ((int(character) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def nir(written: str) -> bool:
    """Check a French social security number of 15 characters: the last two are 97 minus the rest modulo 97. Corsica has
    letters.

    >>> nir("255081416802538"), nir("255081416802539")
    (True, False)
    """
    number = int(written[:13].upper().replace("2A", "19").replace("2B", "18"))
    return 97 - number % 97 == int(written[13:])


def dni(written: str) -> bool:
    """Check a Spanish DNI (8 digits) or NIE (X, Y or Z and 7 digits): the letter encodes the number modulo 23.

    >>> dni("12345678Z"), dni("X1234567L"), dni("12345678A")
    (True, True, False)
    """
    number = written[:-1].upper()
    number = str("XYZ".index(number[0])) + number[1:] if number[0] in "XYZ" else number
    return _DNI_LETTERS[int(number) % 23] == written[-1].upper()


def bsn(digits: str) -> bool:
    """Check a Dutch citizen service number of 9 digits: the sum with weights 9 to 2 and -1 is divisible by 11.

    >>> bsn("111222333"), bsn("111222334")
    (True, False)
    """
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    return int(digits) > 0 and sum(w * int(d) for w, d in zip(weights, digits, strict=True)) % 11 == 0


def codice_fiscale(written: str) -> bool:
    """Check an Italian tax code of 16 characters: the last one is a weighted sum of the others modulo 26.

    >>> codice_fiscale("RSSMRA85T10A562S"), codice_fiscale("RSSMRA85T10A562T")
    (True, False)
    """
    upper = written.upper()
    odd = sum(_ODD[c] for c in upper[0:15:2])
    even = sum(int(c) if c.isdigit() else ord(c) - ord("A") for c in upper[1:15:2])
    return chr(ord("A") + (odd + even) % 26) == upper[15]


def ssn(digits: str) -> bool:
    """Check a US social security number of 9 digits. It has no check digit, but areas 000 and 666, group 00 and serial
    0000 are never issued.

    An area from 900 on is a taxpayer number (ITIN), with groups 50 to 65, 70 to 88, 90 to 92 and 94 to 99.

    >>> ssn("219099999"), ssn("666123456"), ssn("912703456"), ssn("912403456")
    (True, False, True, False)
    """
    area, group, serial = int(digits[:3]), int(digits[3:5]), int(digits[5:])
    if area >= 900:
        return 50 <= group <= 99 and group not in (66, 67, 68, 69, 89, 93)
    return area not in (0, 666) and group > 0 and serial > 0
