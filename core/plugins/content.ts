import type { Resource, Route } from '@tapline/plugin-sdk';
import type { DeclaredExtension } from '../engine/extend.ts';
import type { Registries } from './registries.ts';

export const pluginResources = (registries: Registries | undefined): Resource[] =>
  registries?.all('resources').map(({ item }) => item) ?? [];

export const pluginRoutes = (registries: Registries | undefined): Route[] =>
  registries?.all('routes').map(({ item }) => item) ?? [];

export const pluginExtensions = (registries: Registries): DeclaredExtension[] =>
  registries.all('extensions').map(({ plugin, item }) => ({ plugin, ...item }));

/** Types of plugins, with whose they are. */
export const pluginOwners = (registries: Registries): Map<string, string> =>
  new Map(registries.all('resources').map(({ plugin, item }) => [item.type, plugin]));
