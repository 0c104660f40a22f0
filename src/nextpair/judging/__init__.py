"""Programs and models as workers: asked several questions at once, tried again when they fail, their answers kept."""
