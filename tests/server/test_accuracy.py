"""Detections against the truth of recordings."""

from server.accuracy import frame_times_s


def test_frames_that_the_camera_left_out_have_no_truth_nor_those_after_a_knock(tmp_path):
    path = tmp_path / "tracks.csv"
    path.write_text("t,ball,x,y,visible\n0.0,white-1,1,2,1\n0.0,yellow,3,4,1\n0.1,white-1,1,2,1\n0.4,white-1,1,2,1\n")
    assert frame_times_s(path) == [0.0, 0.1, 0.4]
    assert frame_times_s(path, until_s=0.1) == [0.0]
