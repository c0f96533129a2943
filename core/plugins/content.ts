import type { Resource, Route } from '@tapline/plugin-sdk';
import type { Registries } from './registries.ts';

export const pluginResources = (registries: Registries | undefined): Resource[] =>
  registries?.all('resources').map(({ item }) => item) ?? [];

export const pluginRoutes = (registries: Registries | undefined): Route[] =>
  registries?.all('routes').map(({ item }) => item) ?? [];
