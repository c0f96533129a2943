import type { PluginApi } from '@tapline/plugin-sdk';
import { classified, isVolatile, type Class } from './classify.ts';
import { parseExactly } from '../facts/exact-json.ts';
import { type NestedChange, nestedChanges } from './nested-changes.ts';
import { summarise } from './summarise.ts';

export type DiffType = 'added' | 'removed' | 'changed';

export interface Detail {
  before: unknown;
  after: unknown;
  diff_type: DiffType;
  paths: NestedChange[];
}

/** One top-level fact that differs. */
export interface Difference extends Class {
  fact_path: string;
  diff_type: DiffType;
  summary: string;
  detail: Detail;
}

/** The canonical text of each fact: what differs is found by it, and read only then. */
export interface ReadFacts {
  texts: ReadonlyMap<string, string>;
}

export interface DetectOptions {
  /** severities by key, in place of those of the table */
  overrides?: Readonly<Record<string, string>>;
  /** further keys that never are drift */
  ignored?: readonly string[];
  withVolatile?: boolean;
}

/** As the settings say. */
export const detectOptions = (settings: PluginApi['settings']) => ({
  overrides: settings.get('DRIFT_SEVERITIES', {}) as Record<string, string>,
  ignored: settings.get('DRIFT_IGNORED_FACTS', []) as string[],
});

const mostPaths = 200;

/** What differs between two states of facts, one for each top-level key, in their order. */
export function differences(before: ReadFacts, after: ReadFacts, options: DetectOptions = {}): Difference[] {
  const { overrides = {}, ignored = [], withVolatile = false } = options;
  const keys = [...new Set([...before.texts.keys(), ...after.texts.keys()])].toSorted();
  return keys.flatMap((key) => {
    if (before.texts.get(key) === after.texts.get(key)) return [];
    if (!withVolatile && isVolatile(key, ignored)) return [];
    const detail = detailOf(key, before, after);
    const { diff_type } = detail;
    return [{ ...classified(key, overrides), fact_path: key, diff_type, summary: summarise(key, detail), detail }];
  });
}

function detailOf(key: string, before: ReadFacts, after: ReadFacts): Detail {
  const diffType = !before.texts.has(key) ? 'added' : after.texts.has(key) ? 'changed' : 'removed';
  const [was, is] = [before, after].map(({ texts }) => parseExactly(texts.get(key) ?? 'null'));
  const paths = diffType === 'changed' ? [...nestedChanges(was, is).take(mostPaths)] : [];
  return {
    before: diffType === 'added' ? null : was,
    after: diffType === 'removed' ? null : is,
    diff_type: diffType,
    paths,
  };
}
