import type { ExecSpec } from '@tapline/plugin-sdk';
import { literal } from '@tapline/plugin-sdk';
import type { Injection } from '../../credentials/injection/inject.ts';
import type { ResolvedCredential } from '../../credentials/resolve.ts';

type Configuration = Record<string, unknown>;

interface Given {
  variables: Configuration;
  injection: Pick<Injection, 'env'>;
  credential: ResolvedCredential | undefined;
}

/** What a plugin cannot take from the environment, where the source does not say it itself. */
const added: Record<string, (given: Given) => Configuration> = {
  gce: ({ credential }) => ({ projects: [String(credential?.inputs['project'] ?? '')] }),
  terraform: ({ injection }) =>
    injection.env['TF_BACKEND_CONFIG_FILE'] ? { backend_config_files: injection.env['TF_BACKEND_CONFIG_FILE'] } : {},
};

/** The configuration of an inventory plugin of the engine, as the file that it knows its own by. JSON is YAML. */
export function pluginFile(source: string, plugin: string, given: Given): ExecSpec['files'][number] {
  const own = JSON.stringify(given.variables);
  const more = Object.entries(added[source]?.(given) ?? {}).filter(([name]) => !(name in given.variables));
  // what users wrote is no path of ours, the files of their credentials are
  const entries = [
    ...(own === '{}' ? [] : [literal(own.slice(1, -1))]),
    ...[...more, ['plugin', plugin]].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
  ];
  return {
    path: `source/${plugin.split('.').at(-1)}.yml`,
    content: `{${entries.join(',')}}`,
    expand: 'json',
  };
}
