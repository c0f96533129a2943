import { checkPlugins } from '../doctor/plugins.ts';
import { printFindings } from '../doctor/print.ts';
import { loadConfig } from '../../config/config.ts';

/** Looks, changes nothing; exit code 1 when a plugin that is on cannot be used. */
export async function pluginsDoctor(): Promise<void> {
  printFindings(await checkPlugins(loadConfig()));
}
