"""What the tests of the terminal view share is beside them: `drawn_frames`, `drawn_views`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
