"""What a late book costs."""

from datetime import timedelta

FEE_PER_DAY = 0.20
GRACE_DAYS = 2
BLOCK_AT = 20.00


def open_days(calendar, first, last):
    """The days from first to last, both counted, on which the library is open."""
    day = first
    count = 0
    while day <= last:
        if calendar.is_open(day):
            count += 1
        day += timedelta(days=1)
    return count


def fee(loan, returned, calendar):
    """The fee in euros for a loan that came back on the day `returned`."""
    first_paid_day = loan.due + timedelta(days=GRACE_DAYS + 1)
    if returned < first_paid_day:
        return 0.0
    return open_days(calendar, loan.due + timedelta(days=1), returned) * FEE_PER_DAY


def close_loan(loan, returned, calendar, account):
    """Books the fee when a loan ends, and blocks the account where too much is open."""
    amount = fee(loan, returned, calendar)
    if amount > 0:
        account.fees.append({"loan": loan.id, "amount": amount, "paid": False})
    if sum(entry["amount"] for entry in account.fees) >= BLOCK_AT:
        account.blocked = True


def pay(account, amount):
    """Marks the oldest fees as paid, as far as the money goes."""
    for entry in account.fees:
        if not entry["paid"] and entry["amount"] <= amount:
            entry["paid"] = True
            amount -= entry["amount"]
    return amount
