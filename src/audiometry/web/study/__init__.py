"""A paid study around a page: consent, screening, instructions, attention checks, codes and a payment sheet."""
