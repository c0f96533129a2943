import { ValidationError } from '@tapline/plugin-sdk';
import { outwardCalls, outwardProblem, packageOf, readPath } from '../engine/module-text.ts';

/** @throws ValidationError for what would reach beyond the module's own package */
export function readModule(
  { rego_module: module, package_path: path }: { rego_module?: unknown; package_path?: unknown },
  pathSent = true,
): { package: string; package_path: string } {
  const name = packageOf(String(module));
  if (!name) throw ValidationError.field('rego_module', 'It must begin with its package: package tapline.launch');
  if (name[0] === 'system' || name[0] === 'tapline_drafts')
    throw ValidationError.field('rego_module', `The package ${name[0]} is not for policies.`);
  const outward = outwardCalls(String(module));
  if (outward.length) throw ValidationError.field('rego_module', outwardProblem(outward));
  const own = name.join('/');
  const sent = String(path ?? '');
  const parts = sent === '' ? name : readPath(sent);
  if (!parts)
    throw ValidationError.field('package_path', 'It must be a path of names: tapline/launch, or tapline.launch.');
  const joined = parts.join('/');
  if (joined === own || joined.startsWith(`${own}/`)) return { package: name.join('.'), package_path: joined };
  if (!pathSent) return { package: name.join('.'), package_path: own };
  throw ValidationError.field('package_path', `It must lie in the package of the module, which is ${own}.`);
}
