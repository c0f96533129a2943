import type { Command } from 'commander';

/** `tapline plugins …` */
export function addPluginCommands(program: Command): void {
  const plugins = program.command('plugins').description('switch plugins on and off, look at them, remove their data');
  plugins
    .command('list')
    .description('every plugin, bundled or installed: on or off, its version, what switched it on')
    .action(async () => (await import('./commands/plugins.ts')).listPlugins());
  plugins
    .command('enable')
    .description('switch a plugin on')
    .argument('<name>', 'id of a bundled plugin, name of a package, or path of a folder or module')
    .option('--optional', 'leave it out when it fails, instead of ending the start')
    .action(async (name: string, options: { optional?: boolean }) =>
      (await import('./commands/plugins.ts')).enablePlugin(name, options),
    );
  plugins
    .command('disable')
    .description('switch a plugin off; its data stays')
    .argument('<name>', 'as in `plugins list`')
    .action(async (name: string) => (await import('./commands/plugins.ts')).disablePlugin(name));
  plugins
    .command('doctor')
    .description('say what is wrong with plugins and their data, and how to mend it')
    .action(async () => (await import('./commands/plugins-doctor.ts')).pluginsDoctor());
  plugins
    .command('uninstall')
    .description('remove what a plugin that is off has stored')
    .argument('<name>', 'id of the plugin, or name of its package')
    .option('--drop-data', 'drop its tables, settings and waiting tasks')
    .option('--yes', 'really drop them')
    .action(async (name: string, options: { dropData?: boolean; yes?: boolean }) =>
      (await import('./commands/plugins-uninstall.ts')).uninstallPlugin(name, options),
    );
  plugins
    .command('new')
    .description('write the package of a new plugin, ready to build and test')
    .argument('<name>', 'its id, in kebab-case')
    .option('--dir <folder>', 'where to write it; a folder of its name unless given')
    .action(async (name: string, options: { dir?: string }) =>
      (await import('./commands/plugins-new.ts')).newPlugin(name, options),
    );
}
