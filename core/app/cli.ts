import { Command, Option } from 'commander';
import { addPluginCommands } from './cli-plugins.ts';
import { version } from '../config/config.ts';

/** Each command imports what it needs only when it is asked for. */
function buildProgram(): Command {
  const program = new Command('tapline').description('Automation platform service: administration').version(version);
  program
    .command('serve')
    .description('start the service (roles by TAPLINE_ROLES)')
    .option('--watch', 'for writing plugins: start it anew whenever their sources change')
    .addOption(new Option('--supervised').hideHelp())
    .action(async ({ watch, supervised }: { watch?: boolean; supervised?: boolean }) =>
      watch
        ? (await import('./commands/serve-watched.ts')).serveWatched()
        : (await import('./commands/serve.ts')).serve({ supervised }),
    );
  program
    .command('migrate')
    .description('bring the database up to date')
    .action(async () => (await import('./commands/migrate.ts')).migrateCommand());
  program
    .command('create-admin')
    .description('create a superuser, or give one a new password')
    .argument('[username]', 'name of the user', 'admin')
    .option(
      '--password-file <file>',
      'read the password from a file; else it comes from ADMIN_PASSWORD or the terminal, or is made up',
    )
    .action(async (username: string, options: { passwordFile?: string }) =>
      (await import('./commands/create-admin.ts')).createAdmin(username, options),
    );
  program
    .command('config')
    .description('show the configuration')
    .command('print')
    .option('--redact', 'hide secrets; they are hidden unless --no-redact is given', true)
    .option('--no-redact', 'show secrets')
    .action(async (options: { redact: boolean }) => (await import('./commands/config.ts')).printConfig(options));
  program
    .command('keys')
    .description('keys of the secrets at rest')
    .command('rotate')
    .description('make a new key, and encrypt every secret with it')
    .action(async () => (await import('./commands/keys.ts')).rotate());
  program
    .command('doctor')
    .description('say what is missing or unsafe, and how to mend it')
    .action(async () => (await import('./commands/doctor.ts')).doctor());
  addAuditCommands(program);
  addPluginCommands(program);
  return program;
}

function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('the audit log')
    .command('verify')
    .description('compute its chain anew, and name the first event that does not fit')
    .option('--head <hash>', 'a hash that was printed earlier: it has to be there still')
    .action(async (options: { head?: string }) => (await import('./commands/audit.ts')).verifyAudit(options));
}

const toldInWords = new Set([
  'ConfigError',
  'DataDirError',
  'UnreachableError',
  'BootError',
  'PluginError',
  'CommandError',
]);

export async function main(argv: string[]): Promise<void> {
  try {
    await buildProgram().parseAsync(argv);
  } catch (error) {
    // what the operator can mend is told in words; a stack is for what should not happen
    const known = error instanceof Error && toldInWords.has(error.name);
    console.error(known ? (error as Error).message : error);
    process.exitCode = 1;
  }
}
