import type { SettingDefinition } from '../definition.ts';

/** 2^24 events of a run have ids of their own, and the last batch may have some more than it should. */
const countable = 16_700_000;

/** What one run may take, so that it cannot take all. Why so much: README, "Limits". */
export const runLimitSettings = {
  CHECKOUT_MAX_BYTES: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 2_147_483_648,
    unit: 'bytes',
    help: 'Most bytes that the files of a project may have where they are written out: for a job, or for plugins to look into them; 0 = no limit.',
  },
  CHECKOUT_MAX_FILES: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 100_000,
    help: 'Most files that a project may have where they are written out: for a job, or for plugins to look into them; 0 = no limit.',
  },
  RUN_MAX_OUTPUT_BYTES: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 1_073_741_824,
    unit: 'bytes',
    help: 'Most output of a run. One that says more is ended as failed; 0 = no limit.',
  },
  RUN_MAX_EVENT_BYTES: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 8_589_934_592,
    unit: 'bytes',
    help: 'Most bytes of the events of a run, with the results in them. One that has more is ended as failed; 0 = no limit.',
  },
  RUN_MAX_EVENTS: {
    category: 'jobs',
    type: 'integer',
    min: 100,
    max: countable,
    default: 4_000_000,
    help: 'Most events of a run. One that has more is ended as failed.',
  },
  INVENTORY_MAX_BYTES: {
    category: 'jobs',
    type: 'integer',
    min: 1_000_000,
    default: 134_217_728,
    unit: 'bytes',
    help: 'Most bytes of the variables of an inventory, its groups and hosts together, where it is read as a whole: for a job, or as script/.',
  },
  FACTS_MAX_BYTES: {
    category: 'jobs',
    type: 'integer',
    min: 1_000_000,
    default: 1_073_741_824,
    unit: 'bytes',
    help: 'Most bytes of stored facts that a run is given.',
  },
  ENGINE_MAX_PROCESSES: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 4096,
    help: 'Most processes and threads of a run; where the service is not root, of all that its user runs; 0 = no limit.',
  },
  ENGINE_MAX_MEMORY_BYTES: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 8_589_934_592,
    unit: 'bytes',
    help: 'Most memory that each process of a run may allocate; 0 = no limit.',
  },
  RUN_MAX_MEMORY_BYTES: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 17_179_869_184,
    unit: 'bytes',
    help: 'Most memory that all processes of a run may have together, where the node gives runs control groups (ENGINE_CGROUP); 0 = no limit.',
  },
  ENGINE_MAX_FILE_BYTES: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 17_179_869_184,
    unit: 'bytes',
    help: 'Largest file that a run may write on the node that carries it out; 0 = no limit.',
  },
  ENGINE_MAX_OPEN_FILES: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 16_384,
    help: 'Most files that each process of a run may have open; 0 = no limit.',
  },
} as const satisfies Record<string, SettingDefinition>;
