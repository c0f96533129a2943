import type { SavedCheck } from '../../../runs/saved-prompts/check.ts';
import type { SavedIn } from '../../../runs/saved-prompts/store.ts';

/** Where nodes of templates keep what they launch with, and where those of runs have their copies. */
export const inTemplate: SavedIn = { table: 'workflow_job_template_nodes', lists: 'workflow_node', key: 'node_id' };
export const inRun: SavedIn = { table: 'workflow_job_nodes', lists: 'workflow_job_node', key: 'node_id' };

/** What is missing may come with a launch of the workflow. */
export const ofNodes: SavedCheck = { saved: inTemplate, origin: 'workflow', ahead: 'part' };
