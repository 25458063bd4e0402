"""Claims: does the check of citations tell what a passage supports from what it does not?"""
