"""A pendulum in Python: 1 kg on a massless rod of 1 m, let go from the side, y upwards."""
import sunlagrange as sl

model = sl.Assembly()
model.gravity(0.0, -9.81)
bob = model.body("bob", sl.PlanarParticle(m=1.0))
model.add("rod", sl.DistanceToGround(L=1.0), bob)
run = sl.simulate(model, t_end=10.0, formulation="baumgarte", positions={"bob.x": 1.0})
print(run)
print("q(5) =", run.position_at(5.0))
