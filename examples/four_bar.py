"""A four-bar with a driven crank: its motion, the joint force at the ground, freedoms and redundant rows."""

import numpy
import sunlagrange as sl

model = sl.Assembly()
bars = {"crank": (0.4, 0.6), "coupler": (1.2, 2.0), "rocker": (0.8, 1.2)}  # length [m], mass [kg]
for name, (length, mass) in bars.items():
    body = model.add_coordinates(name, "planar_body")
    model.add(f"{name} body", sl.PlanarRigidBody(m=mass, I=mass * length**2 / 12), body)
    model.add(f"{name} weight", sl.UniformGravity(m=mass), body.centre)
model.add("A", sl.RevoluteToGround(sx=-0.2), "crank")
model.add("B", sl.Revolute(s1x=0.2, s2x=-0.6), "crank", "coupler")
model.add("C", sl.Revolute(s1x=0.6, s2x=0.4), "coupler", "rocker")
model.add("D", sl.RevoluteToGround(sx=-0.4, ground_x=1.1), "rocker")
model.add("motor", sl.PrescribedCoordinate(law=sl.Uniform(start=0.7, rate=6.0)), "crank.phi")
guess = {"crank.phi": 0.7, "coupler.x": 0.9, "coupler.y": 0.5, "coupler.phi": 0.4, "rocker.x": 1.3, "rocker.phi": 1.3}
run = sl.simulate(model, start=guess, t_end=2.0, formulation="ggl")

print(run.report)
print("largest force at A:", numpy.abs(run.forces("A")).max(), "N")
print(run.mechanism.redundancy()["text"])
