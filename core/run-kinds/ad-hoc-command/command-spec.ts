import { literal, SpecError } from '@tapline/plugin-sdk';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { limitProblem } from '../../inventory/limit.ts';
import type { Engine } from '../../runner/engine-tool.ts';
import { assertText } from '../../runner/environment.ts';
import { type HostRunInput, type HostRunSpec, hostRunSpec } from '../execution/host-run.ts';
import { jobOptions } from '../job/execution/job-arguments.ts';
import { evaluatedProblem } from './evaluated-arguments.ts';
import { argumentsHoldExpression } from './joined-arguments.ts';

export interface CommandSpecInput extends HostRunInput {
  run: HostRunInput['run'] & {
    job_type: string;
    limit: string | null;
    forks: number;
    verbosity: number;
    diff_mode: boolean;
    become_enabled: boolean;
    module_name: string;
    module_args: string;
  };
}

/** What a job's options say of more than one module. */
const noPlaybook = {
  playbook: '',
  limit: '',
  job_tags: '',
  skip_tags: '',
  start_at_task: '',
  force_handlers: false,
};

/**
 * Everything about the execution of an ad hoc command, from plain data.
 * @throws SpecError where it cannot be run as it was asked for
 */
export const buildCommandSpec = (input: CommandSpecInput): HostRunSpec =>
  hostRunSpec(input, {
    program: programOf(input.engine),
    options: jobOptions({ ...input.run, ...noPlaybook }),
    what: [...moduleOptions(input), '--', patternOf(input.run)],
    env: {
      AD_HOC_COMMAND_ID: String(input.run.id),
      ANSIBLE_LOAD_CALLBACK_PLUGINS: '1',
      // there is no frame of plays and tasks around it
      TAPLINE_EVENTS: 'results',
    },
    templateVars: {},
  });

/** It stands beside the one that runs playbooks. */
function programOf({ bin }: Engine): string {
  const program = join(bin, 'ansible');
  if (!existsSync(program))
    throw new SpecError(
      `The engine has no program ${program}, which runs ad hoc commands: install the whole of it on this node.`,
    );
  return program;
}

function moduleOptions({ run: { module_name: module, module_args: text }, settings }: CommandSpecInput): string[] {
  assertText("The command's module_name", module);
  assertText("The command's module_args", text);
  // checked when it was asked for; what is older, or comes of a plugin, was not
  if (settings.allowJinja !== 'always') {
    const problem = argumentsHoldExpression(text)
      ? 'Jinja expressions are not allowed there.'
      : evaluatedProblem(module, text);
    if (problem) throw new SpecError(`The command's module_args: ${problem}`);
  }
  return [`--module-name=${module}`, ...(text ? [`--args=${literal(text)}`] : [])];
}

/** A pattern that finds no host is no failure, as a limit would be. */
function patternOf({ limit }: CommandSpecInput['run']): string {
  const pattern = limit || 'all';
  assertText("The command's limit", pattern);
  const problem = limitProblem(pattern);
  if (problem) throw new SpecError(problem);
  return literal(pattern);
}
