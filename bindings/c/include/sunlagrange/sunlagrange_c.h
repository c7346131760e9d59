// SPDX-License-Identifier: BSD-3-Clause
/* sunlagrange for C (C99): constrained mechanical systems on CVODE, ARKODE and IDA.
 *
 *     M(t,q) v' + G^T lambda = f(t,q,v),   g(t,q) = 0,   psi(t,q,v) = 0,   q' = v
 *
 * A mechanism is read from a model file or made of your functions. The library integrates it (sunlagrange_simulate),
 * or it is attached to integrator memory that your program owns (sunlagrange_attach_cvode, _ida, _arkode). docs/c.md
 * explains both. Symbols, shapes, units and signs are those of the C++ headers, first of all notation.hpp.
 *
 * Conventions. A function that can fail returns SUNLAGRANGE_SUCCESS or a negative code; sunlagrange_error() then
 * returns what was wrong and what to try. No exception leaves the library. The object that a failed function would
 * have made is NULL. The caller owns the arrays; an output that is NULL is left out. Matrices are column-major. A
 * returned text belongs to the object that returned it, until the object is freed or returns the same text again.
 * One thread at a time may use an object; different threads may use different objects. Functions, arguments and
 * fields of structs do not change under one SONAME; new ones are added at the end. */
#ifndef SUNLAGRANGE_C_H
#define SUNLAGRANGE_C_H

#include <stddef.h>

#include <sundials/sundials_context.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>
#include <sundials/sundials_types.h>

#if defined(__GNUC__)
#define SUNLAGRANGE_C_API __attribute__((visibility("default")))
#else
#define SUNLAGRANGE_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors
 * --------------------------------------------------------------------------------------------------------*/

enum {
  SUNLAGRANGE_SUCCESS = 0,
  SUNLAGRANGE_INVALID = -1,       /* misuse: null, a wrong size, an unknown name, an option; nothing was done */
  SUNLAGRANGE_FAILED = -2,        /* a reported numerical failure: no consistent start, a run that did not finish */
  SUNLAGRANGE_MODEL_FAILED = -3,  /* a function of the model returned a negative value */
  SUNLAGRANGE_OUT_OF_MEMORY = -4, /* no memory */
  SUNLAGRANGE_INTERNAL = -5       /* anything else; please report it */
};

/* Returns the error of the last call in this thread that failed: function, field, value, what is wrong, what to try.
 * "" if no call has failed. */
SUNLAGRANGE_C_API const char* sunlagrange_error(void);

/* Returns the version of the library that runs: "MAJOR.MINOR.PATCH". */
SUNLAGRANGE_C_API const char* sunlagrange_version(void);

/* ---- mechanisms: a system, its start, its options
 * ------------------------------------------------------------------*/

typedef struct sunlagrange_mechanism sunlagrange_mechanism;

/* A model made of functions. Set all fields to zero, struct_size to sizeof(sunlagrange_functions), then the fields
 * that the model has. Every function returns 0, or a positive value to decline the point (the integrator then tries
 * a shorter step), or a negative value to end the run. Outputs arrive filled with zeros. The model has n positions,
 * m_g and m_psi rows: */
typedef struct sunlagrange_functions {
  size_t struct_size;
  void* data; /* handed to every function */

  int num_positions;            /* n */
  int num_constraints;          /* m_g, rows of g */
  int num_velocity_constraints; /* m_psi, rows of psi */
  int constant_mass_matrix;     /* not 0: M is evaluated once */

  int (*mass_matrix)(double t, const double* q, double* M, void* data);                            /* n x n; required */
  int (*applied_force)(double t, const double* q, const double* v, double* f, void* data);         /* n; required */
  int (*constraint)(double t, const double* q, double* g, void* data);                             /* m_g */
  int (*velocity_constraint)(double t, const double* q, const double* v, double* psi, void* data); /* m_psi */

  /* NULL: the library takes central differences, exact to about 1e-9, and second differences for the bias, to 1e-8.
   * A given derivative is compared with differences at random points when the model is made, and refused if it is
   * wrong. */
  int (*constraint_jacobian)(double t, const double* q, double* G, void* data); /* dg/dq, m_g x n */
  int (*constraint_acceleration_bias)(double t, const double* q, const double* v, double* gamma,
                                      void* data); /* gamma in g'' = G v' - gamma, m_g */
  int (*force_jacobians)(double t, const double* q, const double* v, double* f_q, double* f_v,
                         void* data);                                                            /* n x n each */
  int (*inertia_jacobian)(double t, const double* q, const double* a, double* Ma_q, void* data); /* d(M a)/dq, n x n */
  int (*constraint_force_jacobian)(double t, const double* q, const double* lambda, double* K,
                                   void* data); /* d(G^T lambda)/dq, n x n */

  /* NULL: the energy in the report is the kinetic energy. */
  double (*energy)(double t, const double* q, const double* v, void* data); /* [J] */
  double (*power)(double t, const double* q, const double* v, void* data); /* [W] of forces that energy does not hold */

  /* Names for messages and for the functions below that take names; they are copied. NULL: q0, q1, ... and
   * constraint[0], ..., or constraint if there is one row. */
  const char* const* position_names;   /* n */
  const char* const* constraint_names; /* m_g + m_psi */
} sunlagrange_functions;

/* Makes a mechanism from a model file (docs/mechanism.schema.json), or from its text. source: name of the text in
 * messages, or NULL. */
SUNLAGRANGE_C_API int sunlagrange_from_file(const char* file, sunlagrange_mechanism** mechanism);
SUNLAGRANGE_C_API int sunlagrange_from_json(const char* text, const char* source, sunlagrange_mechanism** mechanism);
/* Makes a mechanism from functions. It starts at t = 0 with q = v = 0; see sunlagrange_set_start. */
SUNLAGRANGE_C_API int sunlagrange_from_functions(const sunlagrange_functions* functions,
                                                 sunlagrange_mechanism** mechanism);
/* Frees *mechanism, unless it is NULL, and sets it to NULL. Runs and attachments made of it remain valid. */
SUNLAGRANGE_C_API void sunlagrange_free(sunlagrange_mechanism** mechanism);

/* Returns the model file of the mechanism with its present start and options. Models made of functions are refused. */
SUNLAGRANGE_C_API int sunlagrange_to_json(sunlagrange_mechanism* mechanism, const char** text);

/* Return n, the number of rows m = m_g + m_psi, and m_g; SUNLAGRANGE_INVALID if mechanism is NULL. */
SUNLAGRANGE_C_API int sunlagrange_num_positions(const sunlagrange_mechanism* mechanism);
SUNLAGRANGE_C_API int sunlagrange_num_constraints(const sunlagrange_mechanism* mechanism);
SUNLAGRANGE_C_API int sunlagrange_num_position_constraints(const sunlagrange_mechanism* mechanism);
/* Return names by number, and numbers by name: "arm.phi", a row, or an element with several rows. NULL or a negative
 * value: there is none. */
SUNLAGRANGE_C_API const char* sunlagrange_position_name(const sunlagrange_mechanism* mechanism, int position);
SUNLAGRANGE_C_API const char* sunlagrange_constraint_name(const sunlagrange_mechanism* mechanism, int row);
SUNLAGRANGE_C_API int sunlagrange_position_index(const sunlagrange_mechanism* mechanism, const char* name);
/* @param rows array for all m rows @param count number of rows that were written */
SUNLAGRANGE_C_API int sunlagrange_constraint_rows(const sunlagrange_mechanism* mechanism, const char* name, int* rows,
                                                  int* count);

/* ---- options
 * -------------------------------------------------------------------------------------------------------*/

/* Options have the names, defaults and meanings of a model file under "simulation": formulation, rtol, atol, t_end,
 * integrator, step, gains, rank_policy, linear_solver, start, at_singularity, ... Set several by a JSON object, or
 * one at a time. Options that no model file can hold are refused. Start and t_end may be set in any order:
 * sunlagrange_simulate, the analyses of a motion, sunlagrange_to_json and the attaching functions check that t_end
 * is later. */
SUNLAGRANGE_C_API int sunlagrange_set_options(sunlagrange_mechanism* mechanism, const char* json);
SUNLAGRANGE_C_API int sunlagrange_set_text(sunlagrange_mechanism* mechanism, const char* option, const char* value);
SUNLAGRANGE_C_API int sunlagrange_set_number(sunlagrange_mechanism* mechanism, const char* option, double value);

/* ---- start
 * ---------------------------------------------------------------------------------------------------------*/

/* Sets t [s], q (n) and v (n; NULL: at rest). They are guesses, which are put onto the constraints when they are
 * used. Values that were held are no longer held. */
SUNLAGRANGE_C_API int sunlagrange_set_start(sunlagrange_mechanism* mechanism, double t, const double* q,
                                            const double* v);
/* Set one coordinate by name: to a guess, or to a value that is held while the others are found. */
SUNLAGRANGE_C_API int sunlagrange_set_position(sunlagrange_mechanism* mechanism, const char* name, double value);
SUNLAGRANGE_C_API int sunlagrange_set_velocity(sunlagrange_mechanism* mechanism, const char* name, double value);
SUNLAGRANGE_C_API int sunlagrange_hold_position(sunlagrange_mechanism* mechanism, const char* name, double value);
SUNLAGRANGE_C_API int sunlagrange_hold_velocity(sunlagrange_mechanism* mechanism, const char* name, double value);

/* Finds the consistent state nearest to the start (option start = as_given: the start itself), with v' and lambda:
 * q, v, a (n each), lambda (m). SUNLAGRANGE_FAILED: there is none near it; sunlagrange_error() names the row that is
 * violated. */
SUNLAGRANGE_C_API int sunlagrange_consistent_start(sunlagrange_mechanism* mechanism, double* t, double* q, double* v,
                                                   double* a, double* lambda);

/* ---- derivatives
 * ---------------------------------------------------------------------------------------------------*/

/* Compares every derivative that the library would use at (t, q, v) with differences: G, g' and gamma, the Newton
 * matrices. Choose a point in general position: at symmetric points wrong entries can agree by accident.
 * SUNLAGRANGE_SUCCESS: all differ by less than `tolerance` of their largest entry. Differences of functions in C are
 * exact to 1e-4, derivatives of model files and your own to 1e-5. SUNLAGRANGE_FAILED: a derivative differs by more;
 * sunlagrange_error() names derivative, row and column. @param text the table of the worst entries in either case */
SUNLAGRANGE_C_API int sunlagrange_check_derivatives(sunlagrange_mechanism* mechanism, double t, const double* q,
                                                    const double* v, double tolerance, const char** text);

/* ---- reactions
 * -----------------------------------------------------------------------------------------------------*/

/* Computes the physical multipliers (m; no stabilising part) and accelerations (n) at a state. The force of the
 * constraints on the coordinates is -G^T lambda. */
SUNLAGRANGE_C_API int sunlagrange_reactions(sunlagrange_mechanism* mechanism, double t, const double* q,
                                            const double* v, double* lambda, double* a);
/* Computes force and torque of every joint on every body at a state. *count: their number, *num_undetermined: how many
 * of them the motion does not determine, because redundant joints share the load; these have the least forces that fit.
 * Names, forces and marks: sunlagrange_result_json(), sunlagrange_result_figure() "joint_forces[0].force[2]". */
SUNLAGRANGE_C_API int sunlagrange_joint_forces(sunlagrange_mechanism* mechanism, double t, const double* q,
                                               const double* v, int* count, int* num_undetermined);
/* Computes the force of one constraint, a row or an element, on the coordinates (n), [N] or [N m]. */
SUNLAGRANGE_C_API int sunlagrange_constraint_force(sunlagrange_mechanism* mechanism, double t, const double* q,
                                                   const double* v, const char* constraint, double* force);

/* ---- analyses about the start (analysis.hpp)
 * ----------------------------------------------------------------------------------*/

/* Finds the state at rest that Newton's iteration reaches from the start: q (n), lambda (m), and "asymptotic",
 * "stable", "undecided" or "unstable". SUNLAGRANGE_FAILED: there is none near it. */
SUNLAGRANGE_C_API int sunlagrange_equilibrium(sunlagrange_mechanism* mechanism, double* q, double* lambda,
                                              const char** stability);
/* Computes the eigenvalues [1/s] with an imaginary part >= 0 of small motions about the start, slowest first: real
 * and imaginary parts (2n are enough) and shapes (n for each, real and imaginary; the k-th begins at n k). *count:
 * their number. Unless the start is an equilibrium or a steady motion, they are those of frozen coefficients, which
 * prove nothing. */
SUNLAGRANGE_C_API int sunlagrange_modes(sunlagrange_mechanism* mechanism, double* real, double* imaginary,
                                        double* shape_real, double* shape_imaginary, int* count);
/* Linearises about the start with inputs (elements whose law is an Input) and outputs ("arm.phi", "arm.phi'",
 * "lambda:pin.x") by name: x' = A x + B du, dz = C x + D du, column-major, and z (the outputs at the start). NULL
 * and 0: all inputs, all coordinates. *num_states: s, at most 2n; A has s s entries, B s for each input, C s columns
 * of num_outputs. Call it with NULL arrays first to get s. */
SUNLAGRANGE_C_API int sunlagrange_state_space(sunlagrange_mechanism* mechanism, const char* const* inputs,
                                              int num_inputs, const char* const* outputs, int num_outputs, double* A,
                                              double* B, double* C, double* D, double* z, int* num_states);
/* Returns the names of the parameters of the elements by number from 0: "rod.L". NULL: there are no more. */
SUNLAGRANGE_C_API const char* sunlagrange_parameter_name(sunlagrange_mechanism* mechanism, int parameter);
/* Returns or sets the value of a parameter. Models made of functions have no parameters. */
SUNLAGRANGE_C_API int sunlagrange_parameter(sunlagrange_mechanism* mechanism, const char* name, double* value);
SUNLAGRANGE_C_API int sunlagrange_set_parameter(sunlagrange_mechanism* mechanism, const char* name, double value);
/* Computes the derivatives of the motion by p parameters, or start values "q(arm.phi)", "v(arm.phi)" (after the
 * parameters, positions before velocities), at `num_times` times: dq, dv, da (n p each), dlambda (m p) for each
 * time, one time after the other, column-major. The options give formulation and tolerances. */
SUNLAGRANGE_C_API int sunlagrange_sensitivities(sunlagrange_mechanism* mechanism, const char* const* names, int p,
                                                const double* times, int num_times, double* dq, double* dv, double* da,
                                                double* dlambda);
/* Computes one number of the motion, "final bob.x", "integral bob.x'", "mean square lambda:rod" (see
 * named_functional() in analysis/functional.hpp), and its derivatives (p) by the same names, for the cost of one
 * motion forward and one backward. Formulations baumgarte, penalty, projected and unstabilized, integrators
 * cvode_bdf and cvode_adams. */
SUNLAGRANGE_C_API int sunlagrange_gradient(sunlagrange_mechanism* mechanism, const char* functional,
                                           const char* const* names, int p, double* value, double* gradient);
/* Computes positions as functions of one driven coordinate, which is followed from the start over `count` values: q,
 * dq/ds and d2q/ds2 (n for each value, one value after the other). *reached: number of values that were reached.
 * SUNLAGRANGE_FAILED if not all were reached: sunlagrange_error() names the dead point or the crossing of branches.
 * Results up to there are written in either case. */
SUNLAGRANGE_C_API int sunlagrange_kinematics(sunlagrange_mechanism* mechanism, const char* coordinate,
                                             const double* grid, int count, double* q, double* rate, double* curvature,
                                             int* reached);
/* Computes the forces of drives along `num_drives` coordinates, [N] or [N m], and the multipliers (m) that produce
 * the motion q, v, a (n each) at t. *missing: largest force that neither drives nor constraints deliver, over the
 * largest force; it is zero to rounding unless the motion needs more drives. SUNLAGRANGE_FAILED: the drives are not
 * unique, as at a dead point. */
SUNLAGRANGE_C_API int sunlagrange_inverse_dynamics(sunlagrange_mechanism* mechanism, double t, const double* q,
                                                   const double* v, const double* a, const char* const* drives,
                                                   int num_drives, double* drive, double* lambda, double* missing);

/* Computes the drives along a motion. `num_coordinates` coordinates are given, as many as there are degrees of
 * freedom, each by num_times values (at least four), one coordinate after the other, at increasing times. Cubic
 * splines interpolate them; the error of their accelerations is of the order of the intervals squared. The start
 * selects the assembly of the mechanism. Outputs for each time: q, v, a (n each), lambda (m), drive
 * (num_coordinates, in their order) and missing (one number, as above). *reached: number of times that were reached.
 * SUNLAGRANGE_FAILED if not all were reached; results up to there are written in either case. */
SUNLAGRANGE_C_API int sunlagrange_drive_forces(sunlagrange_mechanism* mechanism, const double* times, int num_times,
                                               const char* const* coordinates, const double* values,
                                               int num_coordinates, double* q, double* v, double* a, double* lambda,
                                               double* drive, double* missing, int* reached);

/* Result for a combination of driven values (analysis/workspace.hpp, Reach). */
#define SUNLAGRANGE_UNREACHED 0
#define SUNLAGRANGE_REACHED 1
#define SUNLAGRANGE_SINGULAR 2
#define SUNLAGRANGE_OUTSIDE_LIMITS 3

/* Computes the places of a point (the name of a block, or "hand.x") while `num_driven` coordinates, as many as there
 * are degrees of freedom, go from from[k] to to[k] in counts[k] equidistant values. Outputs for each combination, of
 * which the last coordinate changes fastest: reach, q (n, NaN if unreached), place (2 or 3 entries, NaN if
 * unreached), the smallest singular value of d place / d s. *num_entries: number of entries of a place. */
SUNLAGRANGE_C_API int sunlagrange_workspace(sunlagrange_mechanism* mechanism, const char* point,
                                            const char* const* driven, const double* from, const double* to,
                                            const int* counts, int num_driven, int* reach, double* q, double* place,
                                            double* manipulability, int* num_entries);

/* Measured values of one output ("arm.phi", "arm.phi'", "lambda:pin.x") at `count` increasing times, with their
 * standard deviation. */
typedef struct sunlagrange_measurement {
  const char* output;
  const double* t;
  const double* values;
  int count;
  double deviation;
} sunlagrange_measurement;

/* Estimates parameters and start values, by the names of sunlagrange_sensitivities(), from measurements by weighted
 * least squares. The mechanism has the first guess and is not changed. Outputs: estimates and their standard
 * deviations (p each), covariance (p p, column-major); *noise_factor: factor by which the deviations were stated too
 * small. SUNLAGRANGE_FAILED: the measurements cannot tell parameters apart (their deviation is infinite), or a run
 * failed; known results are written. */
SUNLAGRANGE_C_API int sunlagrange_identify(sunlagrange_mechanism* mechanism,
                                           const sunlagrange_measurement* measurements, int num_measurements,
                                           const char* const* names, int p, double* estimate, double* deviation,
                                           double* covariance, double* noise_factor);

/* Returns the rank of the constraint rows at the consistent start, the number of rows that depend on others, and how
 * many of these do so at nearby configurations as well (-1: not known). Names of the rows:
 * sunlagrange_result_json(). */
SUNLAGRANGE_C_API int sunlagrange_redundancy(sunlagrange_mechanism* mechanism, int* rank, int* redundant,
                                             int* permanent);

/* Returns all figures of the last analysis of this mechanism as JSON, also if it failed. docs/figures.md lists them
 * with unit and meaning. NULL before the first analysis. The text is valid until the next call. */
SUNLAGRANGE_C_API const char* sunlagrange_result_json(sunlagrange_mechanism* mechanism);
/* Returns one figure of the last analysis by its name: "iterations", "modes[0].frequency", "covariance[0][1]". Flags
 * are 0 or 1; NaN: not known. */
SUNLAGRANGE_C_API int sunlagrange_result_figure(sunlagrange_mechanism* mechanism, const char* name, double* value);

/* ---- the library integrates
 * ----------------------------------------------------------------------------------------*/

typedef struct sunlagrange_run sunlagrange_run;

/* Sets a function that is called before every step of a run, or of the search of an analysis, with the time reached.
 * 0 ends the run as "interrupted". NULL: no function. */
SUNLAGRANGE_C_API int sunlagrange_set_keep_going(sunlagrange_mechanism* mechanism,
                                                 int (*keep_going)(double t, void* data), void* data);

/* What the action of an event reads and changes. It is valid during the action only. */
typedef struct sunlagrange_event_context sunlagrange_event_context;

/* Adds an event to the runs of sunlagrange_simulate: a change of the sign of root(t, q, v), or the given times [s] if
 * root is NULL. The signs are -1, 0 and 1; crossing: 1 counts changes to a larger sign, -1 to a smaller one, 0 both.
 * action: called there; the integrator starts anew behind it. 0: done; negative: the run ends. NULL: the event is
 * recorded ("events" of sunlagrange_run_json) and changes no bit of the run. The name is copied, and unique. */
SUNLAGRANGE_C_API int sunlagrange_add_event(sunlagrange_mechanism* mechanism, const char* name,
                                            double (*root)(double t, const double* q, const double* v, void* data),
                                            int crossing, const double* times, int num_times,
                                            int (*action)(sunlagrange_event_context* context, void* data), void* data);
/* Removes all events. */
SUNLAGRANGE_C_API int sunlagrange_clear_events(sunlagrange_mechanism* mechanism);
/* In an action: reads the state; sets velocities, which are projected onto the constraints behind the action; sets an
 * input (an element whose law is an Input) from now on; switches a constraint on (not 0) or off; makes the integrator
 * start anew; ends the run as finished. */
SUNLAGRANGE_C_API int sunlagrange_event_state(sunlagrange_event_context* context, double* t, double* q, double* v);
SUNLAGRANGE_C_API int sunlagrange_event_set_velocity(sunlagrange_event_context* context, const double* v);
SUNLAGRANGE_C_API int sunlagrange_event_set_input(sunlagrange_event_context* context, const char* input, double value);
SUNLAGRANGE_C_API int sunlagrange_event_switch(sunlagrange_event_context* context, const char* constraint, int on);
SUNLAGRANGE_C_API int sunlagrange_event_restart(sunlagrange_event_context* context);
SUNLAGRANGE_C_API int sunlagrange_event_stop(sunlagrange_event_context* context, const char* reason);

/* Integrates from the start to the option t_end. SUNLAGRANGE_SUCCESS: finished. SUNLAGRANGE_FAILED: it did not
 * finish; *run has the results up to the failure and its reason. */
SUNLAGRANGE_C_API int sunlagrange_simulate(sunlagrange_mechanism* mechanism, sunlagrange_run** run);
/* Frees *run, unless it is NULL, and sets it to NULL. */
SUNLAGRANGE_C_API void sunlagrange_run_free(sunlagrange_run** run);

/* Return the outcome "finished", "rank_loss", "integrator_failure", ... (base/status.hpp), its explanation, the
 * report for people, and all figures as JSON (the fields of `sunlagrange run --json`). NULL if run is NULL. */
SUNLAGRANGE_C_API const char* sunlagrange_run_outcome(const sunlagrange_run* run);
SUNLAGRANGE_C_API const char* sunlagrange_run_message(const sunlagrange_run* run);
SUNLAGRANGE_C_API const char* sunlagrange_run_text(sunlagrange_run* run);
SUNLAGRANGE_C_API const char* sunlagrange_run_json(sunlagrange_run* run);
/* Returns one figure of the report by its name: "energy_drift", "start.rank", "rank_events[0].t"; docs/figures.md
 * lists all. Flags are 0 or 1; NaN: not known. */
SUNLAGRANGE_C_API int sunlagrange_run_figure(const sunlagrange_run* run, const char* name, double* value);

/* Return the number of recorded states, one for each step and the start, and one of them. */
SUNLAGRANGE_C_API long sunlagrange_run_num_states(const sunlagrange_run* run);
SUNLAGRANGE_C_API int sunlagrange_run_state(const sunlagrange_run* run, long state, double* t, double* q, double* v,
                                            double* a, double* lambda);
/* Returns q and v at any time of the run, by interpolation between the steps. */
SUNLAGRANGE_C_API int sunlagrange_run_at(const sunlagrange_run* run, double t, double* q, double* v);
/* Write the states as a table, with their errors if estimate_error is set, or as a page. */
SUNLAGRANGE_C_API int sunlagrange_run_write_csv(const sunlagrange_run* run, const char* file);
SUNLAGRANGE_C_API int sunlagrange_run_write_html(const sunlagrange_run* run, const char* file, const char* title);

/* ---- your program integrates
 * ---------------------------------------------------------------------------------------*/

/* Lengths of the parts of y = (q, v, lambda, mu), which stand one after the other. */
typedef struct sunlagrange_layout {
  size_t struct_size;         /* sizeof(sunlagrange_layout), set by the caller */
  long size;                  /* length of y */
  long positions;             /* q: n */
  long velocities;            /* v: n, or 0 where q alone is integrated */
  long multipliers;           /* lambda */
  long second_multipliers;    /* mu */
  int integrated_multipliers; /* not 0: y holds L and U with lambda = L', mu = U', which are in y' */
  int own_variables;          /* not 0 (coordinate_partitioning): only size counts, see sunlagrange_motion */
} sunlagrange_layout;

/* Returns the layout of the formulation that the options name. */
SUNLAGRANGE_C_API int sunlagrange_get_layout(sunlagrange_mechanism* mechanism, sunlagrange_layout* layout);
/* Makes a vector for CVODE, IDA and ARKODE like N_VNew_Serial, with operations that use SIMD instructions. It is a
 * serial vector to SUNDIALS; results differ in the last digits. N_VDestroy frees it. NULL: sunlagrange_error() has
 * the reason. */
SUNLAGRANGE_C_API N_Vector sunlagrange_new_vector(long size, SUNContext context);
/* Fills y, and yp unless it is NULL, with the consistent start. */
SUNLAGRANGE_C_API int sunlagrange_initial_values(sunlagrange_mechanism* mechanism, N_Vector y, N_Vector yp);

/* Functions for CVodeInit, IDAInit, ARKStepCreate (explicit part). They work when the mechanism is attached. A
 * result other than 0 is a failure; sunlagrange_error() in the same thread has the reason. The same holds for all
 * functions down to the attaching ones. */
SUNLAGRANGE_C_API int sunlagrange_cvode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data);
SUNLAGRANGE_C_API int sunlagrange_ida_residual(sunrealtype t, N_Vector y, N_Vector yp, N_Vector r, void* user_data);
SUNLAGRANGE_C_API int sunlagrange_arkode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data);
/* Function for CVodeWFtolerances, ARKStepWFtolerances: error weights of the options rtol and atol in the natural
 * scales of the coordinates, if your program has no tolerances of its own. */
SUNLAGRANGE_C_API int sunlagrange_error_weights(N_Vector y, N_Vector weight, void* user_data);

/* Functions for CVodeSetPreconditioner, IDASetPreconditioner with SUNLAGRANGE_OWN_LINEAR_SOLVER and a Krylov solver
 * of yours: the Newton matrices of the library, solved exactly. */
SUNLAGRANGE_C_API int sunlagrange_cvode_preconditioner_setup(sunrealtype t, N_Vector y, N_Vector fy, int jok, int* jcur,
                                                             sunrealtype gamma, void* user_data);
SUNLAGRANGE_C_API int sunlagrange_cvode_preconditioner_solve(sunrealtype t, N_Vector y, N_Vector fy, N_Vector r,
                                                             N_Vector z, sunrealtype gamma, sunrealtype delta, int side,
                                                             void* user_data);
SUNLAGRANGE_C_API int sunlagrange_ida_preconditioner_setup(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual,
                                                           sunrealtype c, void* user_data);
SUNLAGRANGE_C_API int sunlagrange_ida_preconditioner_solve(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual,
                                                           N_Vector r, N_Vector z, sunrealtype c, sunrealtype delta,
                                                           void* user_data);

/* Functions for CVodeSetJacTimes (and ARKStepSetJacTimes), IDASetJacTimes, without a set-up function: J x, (dF/dy +
 * c dF/dy') x at the given point, from tangents of the model instead of difference quotients, with any
 * preconditioner or none. Gains that change along the motion count as constants. They return 1, recoverable, if the
 * model declines the point. */
SUNLAGRANGE_C_API int sunlagrange_cvode_jacobian_times(N_Vector x, N_Vector Jx, sunrealtype t, N_Vector y, N_Vector fy,
                                                       void* user_data, N_Vector scratch);
SUNLAGRANGE_C_API int sunlagrange_ida_jacobian_times(sunrealtype t, N_Vector y, N_Vector yp, N_Vector residual,
                                                     N_Vector x, N_Vector Jx, sunrealtype c, void* user_data,
                                                     N_Vector scratch1, N_Vector scratch2);

/* Functions for CVodeSetJacFn (and ARKStepSetJacFn), IDASetJacFn, with a dense linear solver of yours: J, dF/dy + c
 * dF/dy', column by column from the products above, by one evaluation of tangents and a product for each unknown.
 * For large systems take products and a preconditioner, or the linear solver of the library. J is a SUNMATRIX_DENSE
 * of n x n, n = size of sunlagrange_get_layout(); other matrices are refused by name. With redundant rows the matrix
 * of IDA is singular, and that of index 3 has a condition number like 1 / h^2: take ggl, stabilized_index1 or
 * index1. They return 1, recoverable, if the model declines the point. */
SUNLAGRANGE_C_API int sunlagrange_cvode_dense_jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix J,
                                                       void* user_data, N_Vector scratch1, N_Vector scratch2,
                                                       N_Vector scratch3);
SUNLAGRANGE_C_API int sunlagrange_ida_dense_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp,
                                                     N_Vector residual, SUNMatrix J, void* user_data, N_Vector scratch1,
                                                     N_Vector scratch2, N_Vector scratch3);

/* The same with a sparse linear solver of yours (SUNLinSol_KLU): pattern and values of J. J is a SUNMATRIX_SPARSE of the
 * kind CSC_MAT, n x n, with room for the entries that sunlagrange_jacobian_nonzeros() counts; other matrices are
 * refused by name. index2, index3, ggl and stabilized_index1 have the sparsity of M and G; the other forms have full
 * rows for v'. */
SUNLAGRANGE_C_API int sunlagrange_cvode_sparse_jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix J,
                                                        void* user_data, N_Vector scratch1, N_Vector scratch2,
                                                        N_Vector scratch3);
SUNLAGRANGE_C_API int sunlagrange_ida_sparse_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp,
                                                      N_Vector residual, SUNMatrix J, void* user_data,
                                                      N_Vector scratch1, N_Vector scratch2, N_Vector scratch3);

/* Parts that remain those of your program, besides vectors, loop, limits, orders and root functions, and for CVODE
 * and ARKODE the tolerances. */
enum {
  SUNLAGRANGE_OWN_LINEAR_SOLVER = 1, /* no matrix, linear solver or Jacobian is installed; CVODE may use Adams then,
                                      * and automatic gains are those of an unknown integrator: smaller than for BDF */
  SUNLAGRANGE_OWN_TOLERANCES = 2 /* IDA: tolerances that were set before remain; without it rtol, atol of the options
                                  * count */
};

typedef struct sunlagrange_attachment sunlagrange_attachment;

/* Installs the formulation on memory that CVodeInit, IDAInit or ARKStepCreate has initialised with the function
 * above. It changes the user data, and for CVODE: linear solver, CVodeSetLinSysFn, CVodeSetProjFn (projected); IDA:
 * error weights, IDASetId, IDASetSuppressAlg, IDASetNonlinConvCoef, IDASetMaxNonlinIters, IDASetInitStep, linear
 * solver, Jacobian, IDASetLinearSolutionScaling; ARKODE: the function after each step (projected). Call the same
 * functions afterwards for other settings. Automatic gains follow from the consistent start. If it fails, the memory
 * is unchanged. Memory that has taken no step is refused if its state violates a row by more than a tenth of its
 * terms (ARKODE: in the first right-hand side). Each function takes memory of its own integrator only: SUNDIALS
 * cannot distinguish memory of CVODE, IDA and ARKODE, and such a mistake is not detected. For a start off the
 * constraints set the option start = as_given. Vectors: serial, OpenMP, Pthreads; others are refused by name. @param
 * flags 0, or SUNLAGRANGE_OWN_... joined by | */
SUNLAGRANGE_C_API int sunlagrange_attach_cvode(sunlagrange_mechanism* mechanism, void* cvode_memory, SUNContext context,
                                               N_Vector y, unsigned flags, sunlagrange_attachment** attachment);
SUNLAGRANGE_C_API int sunlagrange_attach_ida(sunlagrange_mechanism* mechanism, void* ida_memory, SUNContext context,
                                             N_Vector y, unsigned flags, sunlagrange_attachment** attachment);
SUNLAGRANGE_C_API int sunlagrange_attach_arkode(sunlagrange_mechanism* mechanism, void* arkode_memory,
                                                sunlagrange_attachment** attachment);
/* Frees *attachment, unless it is NULL, and sets it to NULL. Call it when the integrator does not run any more,
 * before or after its memory is freed, but before the SUNContext is freed. */
SUNLAGRANGE_C_API void sunlagrange_detach(sunlagrange_attachment** attachment);

/* The user data of the integrator belong to the library. Your pointer, from the time of attaching or set here, is
 * kept; your root functions and other functions get it by sunlagrange_user_pointer(user_data). Do not call
 * CVodeSetUserData after attaching. */
SUNLAGRANGE_C_API int sunlagrange_set_user_pointer(sunlagrange_attachment* attachment, void* pointer);
SUNLAGRANGE_C_API void* sunlagrange_user_pointer(void* user_data);

/* Computes the motion that y stands for at t, whatever the unknowns: q, v, the physical a (n each) and lambda (m).
 * SUNLAGRANGE_FAILED: the model declined the point, or it is singular. */
SUNLAGRANGE_C_API int sunlagrange_motion(sunlagrange_attachment* attachment, double t, N_Vector y, double* q, double* v,
                                         double* a, double* lambda);

/* Sets *nonzeros to the number of entries of the Jacobian that may differ from zero, for SUNSparseMatrix. */
SUNLAGRANGE_C_API int sunlagrange_jacobian_nonzeros(sunlagrange_attachment* attachment, sunindextype* nonzeros);

/* Call it after each accepted step with coordinate_partitioning. *changed not 0: y describes the same motion in
 * other variables; call CVodeReInit or ARKStepReset with (t, y), and set the stop time again. */
SUNLAGRANGE_C_API int sunlagrange_change_variables(sunlagrange_attachment* attachment, double t, N_Vector y,
                                                   int* changed);

/* Explains a flag of CVode, IDASolve or ARKStepEvolve at t, in the thread of that call: reason, constraint, what to
 * try. NULL if attachment is NULL. */
SUNLAGRANGE_C_API const char* sunlagrange_explain(sunlagrange_attachment* attachment, int flag, double t);
/* Returns the settings that were asked for and used (gains, error weights, settings of IDA), one "name: asked ->
 * used" or "name: used" a line. */
SUNLAGRANGE_C_API const char* sunlagrange_settings(sunlagrange_attachment* attachment);

#ifdef __cplusplus
}
#endif

#endif
