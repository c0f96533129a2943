import { lateCalls } from '@tapline/plugin-sdk/checks';
import type { Config } from '../../config/config.ts';
import { PluginError, reasonOf } from '../../observe/plugin-error.ts';
import { unclaimedOffers } from '../../plugins/points.ts';
import { preparePlugins } from '../../plugins/prepare.ts';
import type { Registries } from '../../plugins/registries.ts';
import { judgeKeys } from '../../plugins/services/settings.ts';
import { compileCatalog, declare } from '../catalog.ts';
import { buildContainer } from '../container.ts';
import { fail, type Finding, ok, warn } from './finding.ts';
import { idle } from './idle-extensions.ts';

interface Database {
  url: string;
  /** plugins whose tables are not as they need them */
  unready: ReadonlySet<string>;
}

/**
 * What a start would refuse: it is done as far as nothing is changed by it. After each fault it is done again without the
 * plugin at fault, so that one does not hide another's.
 */
export async function checkFit(config: Config, database: Database | undefined): Promise<Finding[]> {
  const findings: Finding[] = [];
  const except = new Map<string, string>();
  const isOptional = (id: string, registries?: Registries) => registries?.find(id)?.optional === true;
  for (;;) {
    let registries: Registries | undefined;
    try {
      registries = await preparePlugins({ config, except });
      // a key that only a plugin at fault knows is no mistake
      if (!except.size && !registries.leftOut.length) judgeKeys(config, registries);
      const told = await tryOut(config, registries, database);
      return [
        ...findings,
        ...leftOut(registries, except),
        ...late(registries),
        ...unclaimed(registries),
        ...told,
        summary(registries, findings),
      ].flat();
    } catch (error) {
      const reason = reasonOf(error);
      const fault = error instanceof PluginError && !except.has(error.plugin) ? error.plugin : undefined;
      findings.push(
        fault !== undefined && isOptional(fault, registries)
          ? warn(reason, startsWithout)
          : fail(reason, 'The service does not start like this.'),
      );
      if (fault === undefined) return findings;
      except.set(fault, reason);
    }
  }
}

const startsWithout = 'It is optional: the service starts without it.';

const leftOut = (registries: Registries, except: ReadonlyMap<string, string>): Finding[] =>
  registries.leftOut
    .filter(({ id }) => !except.has(id))
    .map(({ id, reason }) => warn(`${id} is left out: ${reason}`, startsWithout));

/** Its starts are not run here, so their source must tell. */
const late = ({ plugins }: Registries): Finding[] =>
  plugins.flatMap(({ plugin, optional, contributions }) => {
    const calls = new Set(contributions.starts.flatMap((start) => lateCalls(plugin.register, start)));
    const told = `plugin ${plugin.id}: its onStart calls ${[...calls].join(', ')}, which comes too late: contributions are made inside register`;
    return calls.size
      ? [optional ? warn(told, startsWithout) : fail(told, 'The service does not start like this.')]
      : [];
  });

const unclaimed = (registries: Registries): Finding[] =>
  unclaimedOffers(registries).map(({ text }) =>
    warn(text, 'It has no effect until the plugin that opens the point is on; correct the name where it is misspelt.'),
  );

function summary({ plugins, leftOut }: Registries, findings: readonly Finding[]): Finding[] {
  if (findings.length || leftOut.length) return [];
  if (!plugins.length) return [ok('no plugin is on')];
  return [ok(`${plugins.length} ${plugins.length === 1 ? 'plugin registers' : 'plugins register'}, nothing clashes`)];
}

/** @throws PluginError as a start would */
async function tryOut(config: Config, registries: Registries, database: Database | undefined): Promise<Finding[]> {
  const container = buildContainer({ ...config, logLevel: 'silent', databaseUrl: database?.url ?? '' }, registries);
  const { cradle } = container;
  try {
    const declared = declare(cradle);
    const waiting = idle(declared, registries);
    const ready = registries.without(database?.unready ?? new Set());
    if (!database || !ready.plugins.length) return waiting;
    await compileCatalog(cradle, declared, ready);
    return [...waiting, ok('what plugins say of tables, columns and SQL fits the database')];
  } catch (error) {
    if (error instanceof PluginError) throw error;
    return [warn(`the tables of plugins were not looked at: ${reasonOf(error)}`, 'See what is said of the database.')];
  } finally {
    await cradle.db.destroy();
    await container.dispose();
  }
}
