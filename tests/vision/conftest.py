"""What several tests of vision share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # where watching lies
