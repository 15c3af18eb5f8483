"""Awkward pages under websp-gym and three other systems: is what was seen pressed, and is the agent told of it?"""
