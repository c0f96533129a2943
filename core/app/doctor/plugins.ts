import type { Plugin } from '@tapline/plugin-sdk';
import type { Config } from '../../config/config.ts';
import { runningUrl } from '../../db/postgres.ts';
import { reasonOf } from '../../observe/plugin-error.ts';
import { importPlugin } from '../../plugins/find/load.ts';
import { checkManifest, optionalProblem } from '../../plugins/find/manifest.ts';
import { fail, type Finding, ok, warn } from './finding.ts';
import { checkData } from './plugin-data.ts';
import { checkFit } from './plugin-fit.ts';

/** Can every plugin that is on be used, does its data fit it, and what do plugins that are gone leave behind? */
export async function checkPlugins(config: Config): Promise<Finding[]> {
  const loaded = await Promise.all(config.plugins.map(({ name, optional }) => loadOne(name, optional, config)));
  const plugins = loaded.flatMap(({ plugin }) => plugin ?? []);
  const entries = loaded.map(({ finding }) => finding);
  // looking does not start the embedded server, since it must not change anything
  const url = config.databaseUrl || runningUrl(config.dataDir);
  const data = url
    ? await checkData(config, url, plugins)
    : { findings: [ok('embedded Postgres is not running now: data of plugins was not looked at')] };
  const database = url && data.unready ? { url, unready: data.unready } : undefined;
  const fit = entries.some(({ level }) => level === 'fail') ? [] : await checkFit(config, database);
  return [...entries, ...fit, ...data.findings];
}

async function loadOne(
  name: string,
  optional: boolean,
  config: Config,
): Promise<{ finding: Finding; plugin?: Plugin }> {
  try {
    const plugin = await importPlugin(name, config);
    checkManifest(plugin, name);
    const problem = optional && optionalProblem(plugin, name);
    if (problem) return { plugin, finding: fail(problem.message, 'The service does not start like this.') };
    return { plugin, finding: ok(`${plugin.id} ${plugin.version}: ${plugin.title}, for SDK ${plugin.sdk}`) };
  } catch (error) {
    const finding = optional
      ? warn(reasonOf(error), 'It is optional: the service starts without it.')
      : fail(reasonOf(error), `Correct it, or run \`plugins disable ${name}\`; the service does not start like this.`);
    return { finding };
  }
}
