// `alvarium-sdk/core`: imported for its effect, where a bundle uses `alvarium-sdk/judge` or its like, and nothing that brings the core.

import '#modules'
