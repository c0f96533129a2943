# Nothing is changed before a weekend.
package tapline.library.no_fridays

deny contains "Nothing is launched on Fridays." if
  time.weekday(time.parse_rfc3339_ns(input.now_iso)) == "Friday"
