import { findProgram } from '../../runner/container/find-program.ts';
import { sourceTypes } from '../../runs/choices.ts';

/** On this node, where updates look for it. */
export const hasSubversion = (): boolean => findProgram('svn', '') !== null;

export const noSubversion = 'there is no client for Subversion on this node (Debian has it in the package subversion).';

/** What forms offer: nothing that this node could not fetch. */
export const offeredTypes = (there = hasSubversion()) => ({
  choices: sourceTypes.filter(([type]) => type !== 'svn' || there),
});

interface Source {
  scm_type?: string;
  scm_branch?: string;
  allow_override?: boolean;
}

/** What is wrong with a source of Subversion, by field. One that is there may be changed on a node without the client. */
export function subversionProblems(row: Source, before?: Source, there = hasSubversion()): Record<string, string> {
  if (row.scm_type !== 'svn') return {};
  return {
    ...(!there && before?.scm_type !== 'svn' && { scm_type: noSubversion.replace(/^t/, 'T') }),
    ...(!/^([1-9]\d{0,9})?$/.test(row.scm_branch ?? '') && {
      scm_branch: 'The branch of a Subversion source is the number of a revision.',
    }),
    ...(row.allow_override && { allow_override: 'Jobs of a Subversion source have the revision of their project.' }),
  };
}
