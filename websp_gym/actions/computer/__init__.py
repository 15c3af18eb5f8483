"""Computer-use actions: the vocabularies of OpenAI, Anthropic and Gemini, as dictionaries or JSON text.

Anthropic has two: that of its computer toolset, and that of its browser toolset, whose actions return something.

Each action becomes a list of calls named like BrowserGym's, so that policies, the harm guard and records treat it
like those. However many calls it takes, it counts as one action.
"""
