# Ad hoc commands by modules, not by a shell.
package tapline.library.no_shell_commands

deny contains msg if {
  input.resource_type == "ad_hoc_command"
  input.resource_name in {"shell", "raw", "command"}
  msg := sprintf("Use a module in place of %s.", [input.resource_name])
}
