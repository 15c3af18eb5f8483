"""The live web as a world: the user's own accounts on real websites, and what keeps them safe."""
