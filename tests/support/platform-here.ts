// Tests of one module import no entry of the package, and those say where they are.

import '#platform'
