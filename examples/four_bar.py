"""A four-bar with a driven crank, from nothing to its motion, joint forces, freedoms and an animated page."""
import numpy
import sunlagrange as sl

model = sl.Assembly()  # lengths in m, y upwards
model.gravity(0.0, -9.81)
for name, length, mass in ("crank", 0.4, 0.6), ("coupler", 1.2, 2.0), ("rocker", 0.8, 1.2):
    model.body(name, sl.PlanarBody(m=mass, I=mass * length**2 / 12))
model.add("A", sl.RevoluteToGround(sx=-0.2), "crank")
model.add("B", sl.Revolute(s1x=0.2, s2x=-0.6), "crank", "coupler")
model.add("C", sl.Revolute(s1x=0.6, s2x=0.4), "coupler", "rocker")
model.add("D", sl.RevoluteToGround(sx=-0.4, ground_x=1.1), "rocker")
model.add("motor", sl.PrescribedCoordinate(law=sl.Uniform(start=0.7, rate=6.0)), "crank.phi")
run = sl.simulate(model, t_end=2.0, formulation="ggl", positions={"crank.phi": 0.7, "coupler.y": 0.5, "rocker.phi": 1.3})
print(run, run.mechanism.redundancy(), sep="\n")
for joint in "ABCD":
    for body, along in run.joint_forces(joint).items():
        print(f"{joint} on {body}: {numpy.linalg.norm(along.force, axis=1).max():.1f} N")
run.write_html("four_bar.html", title="four-bar")  # its motion, curves and forces, for any browser
