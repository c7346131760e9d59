#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "answers.hpp"

namespace sunlagrange::python {

/// What a function of the user raised in this thread while the library was at work. Not destroyed with the thread,
/// which may outlive the interpreter.
inline thread_local py::error_already_set* raised_by_function = nullptr;

inline std::unique_ptr<const py::error_already_set> take_raised() {
  return std::unique_ptr<const py::error_already_set>(std::exchange(raised_by_function, nullptr));
}

/// Calls a function of the user, with the lock. What it raises is kept, and thrown as an Error through the library.
template <class Call>
auto calling(const std::string& name, const Call& call) {
  const py::gil_scoped_acquire lock;
  try {
    return call();
  } catch (const py::error_already_set& raised) {
    if (raised_by_function == nullptr) raised_by_function = new py::error_already_set(raised);
    throw Error(name + ": " + raised.what());
  } catch (const py::cast_error&) {
    throw Error(name + ": must return a number");
  }
}

/// A mistake of a function, as sunlagrange.Error. With the lock.
[[noreturn]] inline void refuse(const std::string& text) {
  PyErr_SetString(py::module_::import("sunlagrange._core").attr("Error").ptr(), text.c_str());
  throw py::error_already_set();
}

/// The library at work without the lock; what functions of the user raised meanwhile goes on as it was.
template <class Work>
auto without_lock(const Work& work) {
  take_raised();
  try {
    const py::gil_scoped_release release;
    return work();
  } catch (const Error&) {
    if (raised_by_function == nullptr) throw;
  }
  throw py::error_already_set(*take_raised());
}

/// Something of Python that may be shared and let go without the lock.
template <class Value>
std::shared_ptr<const Value> held(Value value) {
  return {new Value(std::move(value)), [](const Value* last) {
            const py::gil_scoped_acquire lock;
            delete last;
          }};
}

/// Functions of Python as a model (model/requirements.hpp); those that are None are not there.
struct Functions {
  std::vector<std::string> positions;
  int num_constraints = 0;
  int num_velocity_constraints = 0;
  py::object mass_matrix, applied_force, constraint, velocity_constraint, constraint_jacobian;
};

/// A model whose members are functions of Python. They are called from any thread, and released with the lock.
class CallableModel {
 public:
  explicit CallableModel(std::shared_ptr<const Functions> functions) : f_(std::move(functions)) {}

  int num_positions() const { return static_cast<int>(f_->positions.size()); }
  std::vector<std::string> position_names() const { return f_->positions; }

  bool mass_matrix(double t, View<const double> q, MatrixView<double> M) const {
    return fill("mass_matrix", M, f_->mass_matrix, t, vector(q));
  }
  bool applied_force(double t, View<const double> q, View<const double> v, View<double> f) const {
    return fill("applied_force", f, f_->applied_force, t, vector(q), vector(v));
  }

 protected:
  static Eigen::VectorXd vector(View<const double> x) { return Eigen::Map<const Eigen::VectorXd>(x.data(), x.size()); }

  /// False where the function returns None: the point is declined.
  template <class... Arguments>
  static bool fill(const char* name, View<double> out, const py::object& function, const Arguments&... arguments) {
    return fill(name, MatrixView<double>(out.data(), out.size(), 1), function, arguments...);
  }
  template <class... Arguments>
  static bool fill(const char* name, MatrixView<double> out, const py::object& function,
                   const Arguments&... arguments) {
    return calling(name, [&] {
      const py::object returned = function(arguments...);
      if (returned.is_none()) return false;
      const auto value = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(returned);
      if (!value) throw py::error_already_set();
      const bool vector = out.columns() == 1 && (value.ndim() == 1 || (value.ndim() == 0 && out.rows() == 1));
      const bool matrix = value.ndim() == 2 && value.shape(0) == out.rows() && value.shape(1) == out.columns();
      if (!matrix && !(vector && value.size() == out.rows())) {
        const std::string shape = py::str(value.attr("shape"));
        refuse(std::string(name) + ": returns an array of shape " + shape + ", must have " +
               std::to_string(out.rows()) +
               (out.columns() == 1 ? " entries" : " x " + std::to_string(out.columns()) + " entries"));
      }
      for (int i = 0; i < out.rows(); ++i)
        for (int j = 0; j < out.columns(); ++j) out(i, j) = value.data()[i * out.columns() + j];
      return true;
    });
  }

  std::shared_ptr<const Functions> f_;
};

template <class Base>
struct WithConstraint : Base {
  using Base::Base;
  int num_constraints() const { return this->f_->num_constraints; }
  bool constraint(double t, View<const double> q, View<double> g) const {
    return Base::fill("constraint", g, this->f_->constraint, t, Base::vector(q));
  }
};

/// Without: differences.
template <class Base>
struct WithJacobian : Base {
  using Base::Base;
  bool constraint_jacobian(double t, View<const double> q, MatrixView<double> G) const {
    return Base::fill("constraint_jacobian", G, this->f_->constraint_jacobian, t, Base::vector(q));
  }
};

template <class Base>
struct WithVelocityConstraint : Base {
  using Base::Base;
  int num_velocity_constraints() const { return this->f_->num_velocity_constraints; }
  bool velocity_constraint(double t, View<const double> q, View<const double> v, View<double> psi) const {
    return Base::fill("velocity_constraint", psi, this->f_->velocity_constraint, t, Base::vector(q), Base::vector(v));
  }
};

}  // namespace sunlagrange::python
