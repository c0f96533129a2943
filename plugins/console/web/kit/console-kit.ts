export * from '@tapline/console-kit';
