#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run.py EXAMPLES WORK COMPILER FLAG...

SUNDIALS' own examples cvPendulum_dns.c and idaSlCrank_dns.c, as EXAMPLES has them, with the equations that were derived by
hand taken out and this library attached instead: main, vectors, tolerances, loops, output, and of the pendulum the dense
linear solver stay. Compiled by COMPILER FLAG... in the folder WORK, run, and compared with the output that SUNDIALS ships.
Nothing of the examples stands here but the places where to cut.
"""
import pathlib
import re
import subprocess
import sys

PENDULUM = '''
static int mass(double t, const double* q, double* M, void* data) { M[0] = M[3] = 1.0; return 0; }
static int force(double t, const double* q, const double* v, double* Q, void* data) { Q[1] = -GRAV; return 0; }
static int rod(double t, const double* q, double* g, void* data)
{
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  return 0;
}
static int gradient(double t, const double* q, double* G, void* data) { G[0] = q[0]; G[1] = q[1]; return 0; }
static int bias(double t, const double* q, const double* v, double* gamma, void* data)
{
  gamma[0] = -(v[0] * v[0] + v[1] * v[1]);
  return 0;
}
'''
ATTACH_PENDULUM = r'''  sunlagrange_functions model = {sizeof model, NULL, 2, 1, 0, 1, mass, force, rod, NULL, gradient, bias};
  sunlagrange_mechanism* pendulum;
  sunlagrange_attachment* attachment;
  if (sunlagrange_from_functions(&model, &pendulum) || sunlagrange_set_start(pendulum, ZERO, yy0data, NULL) ||
      sunlagrange_set_text(pendulum, "formulation", "projected") ||
      sunlagrange_attach_cvode(pendulum, cvode_mem, sunctx, yy0, SUNLAGRANGE_OWN_LINEAR_SOLVER, &attachment))
  {
    fprintf(stderr, "%s\n", sunlagrange_error());
    return(1);
  }
'''
CRANK = '''static int inertia(double t, const double* q, double* M, void* user_data)
{
  UserData data = (UserData) user_data;
  M[0] = data->J1;
  M[4] = data->m2;
  M[8] = data->J2;
  return 0;
}
static int force(double t, const double* q, const double* v, double* Q, void* user_data)
{
  UserData data = (UserData) user_data;
  realtype dx = q[1] - (cos(q[2]) + data->a * cos(q[0])) / 2.0, dy = -(sin(q[2]) + data->a * sin(q[0])) / 2.0;
  realtype l = sqrt(dx * dx + dy * dy), rate = 0.0, pull;
  realtype grad[3] = {(dx * sin(q[0]) - dy * cos(q[0])) * data->a / (2.0 * l), dx / l,
                      (dx * sin(q[2]) - dy * cos(q[2])) / (2.0 * l)};
  int i;
  for (i = 0; i < 3; ++i) rate += grad[i] * v[i];
  pull = data->k * (l - data->l0) + data->c * rate;
  for (i = 0; i < 3; ++i) Q[i] = -pull * grad[i];
  Q[1] += data->F;
  Q[2] -= data->F * sin(q[2]);
  return 0;
}
static int closing(double t, const double* q, double* g, void* user_data)
{
  UserData data = (UserData) user_data;
  g[0] = q[1] - cos(q[2]) - data->a * cos(q[0]);
  g[1] = -sin(q[2]) - data->a * sin(q[0]);
  return 0;
}

'''
START_CRANK = r'''  sunlagrange_functions model = {sizeof model, data, 3, 2, 0, 1, inertia, force, closing};
  sunlagrange_mechanism* crank;
  sunlagrange_attachment* attachment;
  realtype q0[3] = {2 * atan(ONE), cos(asin(-data->a)), asin(-data->a)};
  if (sunlagrange_from_functions(&model, &crank) || sunlagrange_set_start(crank, ZERO, q0, NULL) ||
      sunlagrange_set_text(crank, "formulation", "ggl") || sunlagrange_initial_values(crank, yy, yp)) {
    fprintf(stderr, "%s\n", sunlagrange_error());
    return 1;
  }

'''
ATTACH_CRANK = r'''  if (sunlagrange_attach_ida(crank, mem, ctx, yy, SUNLAGRANGE_OWN_TOLERANCES, &attachment)) {
    fprintf(stderr, "%s\n", sunlagrange_error());
    return 1;
  }

'''


def replaced(text, begin, end, new=''):
    """What stands from `begin` up to `end`, which stays."""
    first = text.index(begin)
    return text[:first] + new + text[text.index(end, first):]


def without(text, *lines):
    for line in lines:
        assert line + '\n' in text, line
        text = text.replace(line + '\n', '')
    return text


def pendulum(text):
    text = replaced(text, '/* ODE RHS function for the Cartesian system */', '/* ----', PENDULUM.lstrip() + '\n')
    declared = [line + ';' for line in re.findall(r'^static int [^{\n]*\)', PENDULUM, re.M)]
    first = text.index('static int f(realtype')
    last = text.index(';', text.index('static int proj(realtype')) + 1
    text = text[:first] + '\n'.join(declared) + text[last:]
    text = text.replace('#include <cvode/cvode.h>', '#include <sunlagrange/sunlagrange_c.h>\n#include <cvode/cvode.h>', 1)
    text = text.replace('CVodeInit(cvode_mem, f,', 'CVodeInit(cvode_mem, sunlagrange_cvode_rhs,')
    text = re.sub(r'  retval = CVodeSetProjFn\(.*\n.*\n', lambda _: ATTACH_PENDULUM, text)
    end = '  SUNContext_Free(&sunctx);'
    return text.replace(end, '  sunlagrange_detach(&attachment);\n  sunlagrange_free(&pendulum);\n' + end, 1)


def crank(text):
    text = text.replace('#include <ida/ida.h>', '#include <sunlagrange/sunlagrange_c.h>\n#include <ida/ida.h>', 1)
    text = replaced(text, 'int ressc(', '/* Prototypes of private functions */', CRANK)
    text = replaced(text, 'void setIC(', 'static void PrintHeader(realtype rtol, realtype atol, N_Vector y)\n{')
    text = replaced(text, '  /* Consistent IC */', '  /* Tolerances */')
    text = replaced(text, '  /* Integration limits */', '  /* Integration limits */', START_CRANK)
    text = text.replace('IDAInit(mem, ressc,', 'IDAInit(mem, sunlagrange_ida_residual,')
    text = replaced(text, '  retval = IDASetUserData(mem, data);', '  PrintHeader(', ATTACH_CRANK)
    text = without(text, '  SUNMatrix A;', '  SUNLinearSolver LS;', '  A = NULL;', '  LS = NULL;', '  id = N_VClone(yy);',
                   '  N_VDestroy(id);', '  SUNMatDestroy(A);')
    text = text.replace('  SUNLinSolFree(LS);\n', '  sunlagrange_detach(&attachment);\n  sunlagrange_free(&crank);\n')
    return text.replace('yy, yp, id;', 'yy, yp;')


def numbers(line):
    return [float(word) for word in re.findall(r'-?\d\.\d+e[+-]\d+', line)]


def compare_pendulum(ours, theirs):
    """Rows `YES`: projected; errors of x, y, x', y' and |g|."""
    rows = [[numbers(line)[:5] for line in text.splitlines() if line.startswith('  YES')] for text in (ours, theirs)]
    assert len(rows[0]) == len(rows[1]) == 5, ours
    for own, shipped in zip(*rows):
        assert own[4] <= 1e-15, f'off the constraint: {own}'
        for a, b in zip(own[:4], shipped[:4]):
            assert a < 5.0 * b, f'error {a} where SUNDIALS has {b}'


def compare_crank(ours, theirs):
    """41 rows: time, three positions."""
    rows = [[numbers(line)[:4] for line in text.splitlines() if re.match(r'\d\.\d+e', line)] for text in (ours, theirs)]
    assert len(rows[0]) == len(rows[1]) == 41, ours
    largest = max(abs(a - b) for own, shipped in zip(*rows) for a, b in zip(own, shipped))
    assert largest < 2e-4, f'differs by {largest}'


def main():
    examples, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    for name, port, compare in (('cvode/serial/cvPendulum_dns', pendulum, compare_pendulum),
                                ('ida/serial/idaSlCrank_dns', crank, compare_crank)):
        original = (examples / (name + '.c')).read_text()
        source = work / (pathlib.Path(name).name + '.c')
        source.write_text(port(original))
        changes = subprocess.run(['diff', examples / (name + '.c'), source], capture_output=True, text=True).stdout
        gone, come = (len(re.findall('^' + mark, changes, re.M)) for mark in '<>')
        program = source.with_suffix('')
        subprocess.run([sys.argv[3], '-std=c99', source, '-o', program] + sys.argv[4:], check=True)
        run = subprocess.run([program.resolve()], cwd=work, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        compare(run.stdout, (examples / (name + '.out')).read_text())
        print(f'{source.name}: {len(original.splitlines())} lines, {gone} gone, {come} come; as SUNDIALS prints it')


main()
