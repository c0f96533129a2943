import { variableEntry, variablesFile } from '../../yaml/engine-variables.ts';
import type { Variables } from '../../yaml/variables.ts';

export interface ExtraVars {
  /** everything the run was launched with, merged */
  merged: Variables;
  /** the template's own: an unchanged value may hold expressions */
  template: Variables;
  injected: Variables;
  allowJinja: 'always' | 'never' | 'template';
}

/** The file behind `-e @file`. Whoever launches a job may not run expressions with it (ALLOW_JINJA_IN_EXTRA_VARS). */
export function extraVarsFile({ merged, template, injected, allowJinja }: ExtraVars): string {
  const trusted = (name: string, value: unknown) =>
    allowJinja === 'always' ||
    (allowJinja === 'template' &&
      Object.hasOwn(template, name) &&
      JSON.stringify(template[name]) === JSON.stringify(value));
  return variablesFile([
    ...Object.entries(merged)
      .filter(([name]) => !Object.hasOwn(injected, name))
      .map(([name, value]) => variableEntry(name, value, !trusted(name, value))),
    ...Object.entries(injected).map(([name, value]) => variableEntry(name, value, true)),
  ]);
}
