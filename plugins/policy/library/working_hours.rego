# Launches within working hours in UTC; superusers at any time.
package tapline.library.working_hours

hour := time.clock(time.parse_rfc3339_ns(input.now_iso))[0]

deny contains "Launches are allowed from 8 to 18 UTC." if {
  not input.user.is_superuser
  hour < 8
}

deny contains "Launches are allowed from 8 to 18 UTC." if {
  not input.user.is_superuser
  hour >= 18
}
