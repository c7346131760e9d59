"""A pendulum in Python: 1 kg on a massless rod of 1 m, let go from the side, y upwards."""
import sunlagrange as sl

model = sl.Assembly()
bob = model.add_coordinates("bob", "planar_point")
model.add("mass", sl.PointMass(m=1.0), bob)
model.add("weight", sl.UniformGravity(m=1.0), bob)
model.add("rod", sl.DistanceToGround(L=1.0), bob)
run = sl.simulate(model, t_end=10.0, formulation="baumgarte", positions={"bob.x": 1.0})
print(run)
print("q(5) =", run.position_at(5.0))
