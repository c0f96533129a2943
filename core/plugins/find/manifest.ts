import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { definePlugin, type Plugin } from '@tapline/plugin-sdk';
import type Semver from 'semver';
import { PluginError } from '../../observe/plugin-error.ts';

const require = createRequire(import.meta.url);

let version: string | undefined;

/** Version of the SDK that this service serves. */
export function sdkVersion(): string {
  const manifest = new URL('../../../plugin-sdk/package.json', import.meta.url);
  return (version ??= JSON.parse(readFileSync(manifest, 'utf8')).version as string);
}

/** @throws PluginError: what is wrong with the manifest, or that it was written for another SDK */
export function checkManifest(plugin: Plugin, entry: string): void {
  const id = plugin?.id ?? entry;
  try {
    definePlugin(plugin);
  } catch (error) {
    throw new PluginError(id, (error as Error).message.replace(/^plugin [^:]*: /, ''), { cause: error });
  }
  // needed by none but plugins: a service without any need not load it; the package as a whole is four times as much
  const satisfies = require('semver/functions/satisfies.js') as typeof Semver.satisfies;
  const validRange = require('semver/ranges/valid.js') as typeof Semver.validRange;
  if (validRange(plugin.sdk) === null)
    throw new PluginError(id, `sdk "${plugin.sdk}" is no range of versions: write one like "^${sdkVersion()}"`);
  if (!satisfies(sdkVersion(), plugin.sdk, { includePrerelease: true }))
    throw new PluginError(
      id,
      `it works with SDK ${plugin.sdk}, and this service has ${sdkVersion()}: install a version of the plugin for this SDK, or switch it off`,
    );
}

/** Why a plugin cannot be on as optional, where it says so itself: left out, it would leave a gap that nobody sees. */
export const optionalProblem = (plugin: Plugin, entry: string): PluginError | undefined =>
  plugin?.mandatory === true
    ? new PluginError(
        plugin.id ?? entry,
        `it must not be optional, since the service would go on without it when it fails: write "${entry}" without "?" in TAPLINE_PLUGINS ` +
          `and without "optional: true" in config/plugins.ts and plugins.json ("plugins enable ${entry}"), or switch it off`,
      )
    : undefined;
