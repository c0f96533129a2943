import type { Extension } from '@tapline/plugin-sdk';
import { callError, type PluginError } from '../../observe/plugin-error.ts';

/** What a plugin adds to a resource that is not its own; `table` names its schema already. */
export interface DeclaredExtension {
  plugin: string;
  type: string;
  extension: Extension;
}

export const extensionFault = ({ plugin, type }: DeclaredExtension, problem: string, remedy: string): PluginError =>
  callError(plugin, `api.extend("${type}")`, problem, remedy);
