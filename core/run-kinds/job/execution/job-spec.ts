import type { CheckoutSource, ExecSpec } from '@tapline/plugin-sdk';
import { join } from 'node:path';
import { engineFiles } from '../../../runner/engine-files.ts';
import { type EngineSettings, shownPaths } from '../../execution/engine-run.ts';
import { type HostRunInput, type HostRunSpec, hostRunSpec } from '../../execution/host-run.ts';
import { collectionPaths, projectContents, rolePaths } from '../../execution/required-contents.ts';
import { type JobParameters, jobOptions, playbookArgument } from './job-arguments.ts';

export interface JobSpecInput extends HostRunInput {
  run: HostRunInput['run'] & JobParameters & { use_fact_cache: boolean };
  /** the template's own extra variables, which alone may hold expressions */
  templateVars: Record<string, unknown>;
  /** stored facts, as JSON text per host; only read with use_fact_cache */
  facts: Iterable<{ host: string; document: string }>;
  checkout: CheckoutSource;
  /** where the roles and collections that the project requires are installed; null = nowhere */
  requirements: string | null;
  settings: EngineSettings & {
    /** seconds; 0 = facts do not expire */
    factTimeout: number;
  };
}

/**
 * Everything about the execution of a job, from plain data. Pure.
 * @throws SpecError where the job cannot be run as it was asked for
 */
export function buildJobSpec(input: JobSpecInput): HostRunSpec {
  const { run, engine, settings, requirements } = input;
  const playbook = playbookArgument(run.playbook);
  const spec = hostRunSpec(input, {
    program: engine.command,
    options: jobOptions(run),
    what: [playbook],
    env: factCache(input),
    templateVars: input.templateVars,
  });
  return {
    ...spec,
    files: run.use_fact_cache ? [...spec.files, ...factFiles(input.facts)] : spec.files,
    links: projectContents,
    checkout: input.checkout,
    entry: playbook,
    ...shownPaths(settings, requirements ? [requirements] : []),
    searchPaths: [...spec.searchPaths, ...rolePaths(requirements), ...collectionPaths(requirements)],
  };
}

function factCache({ run, settings }: JobSpecInput): Record<string, string> {
  if (!run.use_fact_cache) return {};
  return {
    ANSIBLE_CACHE_PLUGINS: join(engineFiles, 'cache'),
    ANSIBLE_CACHE_PLUGIN: 'tapline_facts',
    ANSIBLE_CACHE_PLUGIN_CONNECTION: '{workspace}/fact_cache',
    ANSIBLE_CACHE_PLUGIN_TIMEOUT: String(settings.factTimeout),
  };
}

/** A host's name is a file's name here; one that is not a plain name gets its facts anew. */
function* factFiles(facts: JobSpecInput['facts']): Iterable<ExecSpec['files'][number]> {
  for (const { host, document } of facts) {
    if (host && !/[/\0]/.test(host) && host !== '.' && host !== '..')
      yield { path: `fact_cache/${host}`, content: document };
  }
}
