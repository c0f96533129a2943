import type { ExecSpec } from '@tapline/plugin-sdk';
import type { InputSchema } from '../input-schema.ts';

/** What a credential gives to a run. */
export interface Given {
  env?: Record<string, string>;
  /** content by the label that `file` was asked with */
  files?: Record<string, string>;
  extraVars?: Record<string, unknown>;
  sshKeys?: ExecSpec['sshKeys'];
}

/** A credential as its type sees it when a run is given it. */
export interface Giving {
  /** an input, '' where it is blank */
  text(id: string): string;
  flag(id: string): boolean;
  /** the path that a file of this label will have inside the run */
  file(label: string): string;
  /** what for: playing on hosts, or reading an inventory */
  use: 'play' | 'inventory';
}

/** A type that comes with the service, found by its namespace (contract §11.1). Field order is display order. */
export interface ManagedType {
  namespace: string;
  kind: string;
  name: string;
  description: string;
  inputs: InputSchema;
  /** None where the runs that use such credentials know themselves what to do with them. */
  give?(giving: Giving): Given;
}
