# Variables that switch checks off are told of.
package tapline.library.no_skipped_checks

warn contains msg if {
  some name in ["skip_checks", "ignore_errors", "force"]
  input.extra_vars[name] == true
  msg := sprintf("The variable %s is set.", [name])
}
