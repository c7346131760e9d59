"""Constrained mechanisms for SUNDIALS: describe them by elements, simulate them in any formulation.

    import sunlagrange as sl

    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(m=1.0), bob)
    model.add("weight", sl.UniformGravity(m=1.0), bob)
    model.add("rod", sl.DistanceToGround(L=1.0), bob)
    run = sl.simulate(model, t_end=10, start={"bob.x": 1.0}, formulation="ggl")
    run.t, run["bob.x"], run.forces("rod"), print(run.report)

Elements, ends and laws are classes made from the description that the C++ library has of them; their parameters are
keyword arguments with defaults, see help(sunlagrange.LinearSpring).
"""

from ._core import Error
from ._description import Part
from ._description import classes as _classes
from ._model import Assembly, Block, Mechanism, Simulation, read, schema, simulate

globals().update(_classes)
__all__ = ["Assembly", "Block", "Error", "Mechanism", "Part", "Simulation", "read", "schema", "simulate", *_classes]
