import type { GraphLink, GraphNode } from '../graph.ts';

/** What is asked just now, in a dialog. */
export type Asking =
  | { what: 'add'; after?: GraphNode }
  | { what: 'edit'; node: GraphNode }
  | { what: 'remove'; node: GraphNode }
  | { what: 'link'; from?: number; to?: number; link?: GraphLink }
  | { what: 'unlink'; link: GraphLink };

export type Ask = (next: Asking | null) => void;
