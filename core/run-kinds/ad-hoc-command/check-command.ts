import type { Settings } from '../../settings/settings.ts';
import type { LaunchCredential } from '../job/launch/passwords.ts';
import { injectedVariables } from '../execution/injected-variables.ts';
import { evaluatedProblem } from './evaluated-arguments.ts';
import { argumentsHoldExpression } from './joined-arguments.ts';
import type { CommandPrompts } from './prompts.ts';

interface Named {
  inventory: { pending_deletion: boolean } | null;
  credential: LaunchCredential | null;
  environment: { id: number } | null;
}

/** Modules that do nothing without arguments, whatever collection they are named by. */
const needArguments = new Set(['command', 'shell', 'raw', 'script', 'win_command', 'win_shell']);

/** What the service tells the engine itself. */
const nobody = { id: 0, username: '', email: '', first_name: '', last_name: '' };
const injected = new Set(
  Object.keys(
    injectedVariables({
      run: { id: 0, launch_type: '', execution_node: '-' },
      inventory: nobody as never,
      user: nobody,
    }),
  ),
);

/** What is wrong with a command whose values are of the right types, by field. */
export function commandProblems(
  settings: Settings,
  command: CommandPrompts,
  { inventory, credential, environment }: Named,
): Record<string, string[]> {
  const problems = {
    inventory: inventoryProblem(command, inventory),
    credential: credentialProblem(command, credential),
    execution_environment: environmentProblem(command, environment),
    module_name: moduleProblem(settings, command),
    module_args: argumentProblem(settings, command),
    extra_vars: variableProblem(command),
  };
  return Object.fromEntries(Object.entries(problems).flatMap(([name, text]) => (text ? [[name, [text]]] : [])));
}

const unknown = (id: number) => `Invalid pk "${id}" - object does not exist.`;

function inventoryProblem({ inventory: id }: CommandPrompts, inventory: Named['inventory']): string | undefined {
  if (id === undefined) return 'This field is required.';
  if (!inventory) return unknown(id);
  return inventory.pending_deletion ? 'The inventory is being deleted.' : undefined;
}

function credentialProblem({ credential: id }: CommandPrompts, credential: Named['credential']): string | undefined {
  if (id === undefined) return undefined;
  if (!credential) return unknown(id);
  return credential.type.kind === 'ssh' ? undefined : 'A machine credential (of the kind ssh) is needed.';
}

const environmentProblem = ({ execution_environment: id }: CommandPrompts, known: Named['environment']) =>
  id === undefined || known ? undefined : unknown(id);

function moduleProblem(settings: Settings, { module_name: module }: CommandPrompts): string | undefined {
  const allowed = settings.get('AD_HOC_COMMANDS') as readonly string[];
  return allowed.includes(module) ? undefined : `"${module.slice(0, 200)}" is not a valid choice.`;
}

/** The engine evaluates expressions in arguments on the side of the service. */
function argumentProblem(settings: Settings, { module_name: module, module_args: text }: CommandPrompts) {
  if (!text.trim() && needArguments.has(module.split('.').at(-1)!))
    return `No argument passed to the ${module} module.`;
  if (settings.get('ALLOW_JINJA_IN_EXTRA_VARS') === 'always') return undefined;
  if (argumentsHoldExpression(text)) return 'Jinja expressions are not allowed in the arguments of an ad hoc command.';
  return evaluatedProblem(module, text);
}

function variableProblem({ extra_vars: variables = {} }: CommandPrompts): string | undefined {
  const names = Object.keys(variables).filter((name) => name.startsWith('ansible_') || injected.has(name));
  return names.length ? `${names.slice(0, 20).join(', ')}: not allowed in ad hoc commands.` : undefined;
}
