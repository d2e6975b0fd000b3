"""Worlds around worlds, which here change nothing."""


class Wrapper:
    """Passes everything on."""

    def __init__(self, env, *_arguments, **_options):
        self.env = env

    def __getattr__(self, name):
        return getattr(self.env, name)


RecordEpisodeStatistics = RecordVideo = FlattenObservation = ClipAction = Wrapper
NormalizeObservation = TransformObservation = NormalizeReward = TransformReward = Wrapper
