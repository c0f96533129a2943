# A launch names the change that it belongs to.
package tapline.library.change_ticket

deny contains "Set the variable change_ticket: CHG and its number." if not named

named if regex.match(`^CHG\d+$`, input.extra_vars.change_ticket)
