"""The letters that the night run prints."""


def night_run(accounts, printer, today):
    """Prints a letter for each fee that nobody has been told of."""
    for account in accounts:
        for entry in account.fees:
            if entry.get("told"):
                continue
            printer.send(letter(account, entry, today))
            entry["told"] = today


def letter(account, entry, today):
    """One page to the holder of the account."""
    return (
        f"{account.holder}\n{account.address}\n\n{today:%d.%m.%Y}\n\n"
        f"You owe {entry['amount']:.2f} euros for the loan {entry['loan']}.\n"
        "Please pay at the desk.\n"
    )
